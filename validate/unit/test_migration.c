/* Claims about parents that go from GPU to GPU in machine words (ranks/migration_words.h): whatever their places, messages made
 * one after the other bring every child's parent, no more words than there is room for, and need no more places than remote parents
 * are given (migration_places_for). Control: where messages may have fewer children than it takes, more are needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/msc_layout.h"
#include "ranks/migration_words.h"

#define COUNT(array)  (sizeof(array) / sizeof(array)[0])
#define MOST_CHILDREN 20000
#define PACKED_ROOM   64 /* times as many parents as a message has children at least */

/* What a message has room for. */
typedef struct {
    uint64_t words, least;
} limits;

/* What came of messages. */
typedef struct {
    uint64_t children, places, in_words, messages;
} sent;

static uint64_t state;

/* 0 .. end - 1 */
static uint64_t draw(uint64_t end) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % end;
}

/* Rising places of the parents of so many children: in runs, with gaps of up to so many places between them now and then. */
static void make_places(uint32_t *places, uint64_t children, uint64_t each, uint64_t gap,
                        uint64_t seldom) {
    uint64_t place = draw(1000);
    for (uint64_t n = 0; n < children; n++) {
        places[n] = (uint32_t)place;
        if (draw(each) == 0)
            place += draw(seldom) == 0 ? draw(gap) : 1;
    }
}

/* Checks a message in words. */
static void expect_whole(const uint32_t *places, uint64_t children, uint64_t words, uint64_t room) {
    assert_in_range(words, 1, room);
    assert_in_range(children, 1, MOST_CHILDREN);
    const uint64_t first = places[0] / MACHINE_LANES;
    for (uint64_t n = 0; n < children; n++)
        assert_in_range(places[n] / MACHINE_LANES, first, first + words - 1);
    assert_int_equal(places[children - 1] / MACHINE_LANES, first + words - 1);
}

/* The children of a message whose parents are packed, as many as there is room for. */
static uint64_t count_packed(const uint32_t *places, uint64_t children, uint64_t room,
                             uint64_t *parents) {
    uint64_t n = 0;
    for (*parents = 0; n < children; n++) {
        const bool another = n == 0 || places[n] != places[n - 1];
        if (another && *parents == room)
            break;
        *parents += another;
    }
    return n;
}

/* Makes messages about all of the children. */
static sent send_all(const uint32_t *places, uint64_t children, limits l) {
    sent s = {.children = 0};
    while (s.children < children) {
        const uint32_t *const left = places + s.children;
        uint64_t now = children - s.children, parents;
        const uint64_t words = migration_words(left, &now, l.words, l.least);
        if (words > 0) {
            expect_whole(left, now, words, l.words);
            s.places = migration_whole_words(s.places) + words * MACHINE_LANES;
            s.in_words++;
        } else {
            now = count_packed(left, now, PACKED_ROOM * (l.least + 1), &parents);
            s.places += parents;
        }
        s.children += now;
        s.messages++;
    }
    return s;
}

/* Ways in which parents stand, and messages of lattices from small to so large that a word hardly has room in one. */
static void messages_need_no_more_places_than_remote_parents_are_given(void **unused) {
    (void)unused;
    static uint32_t places[MOST_CHILDREN];
    static const uint64_t rooms[] = {1, 2, 3, 16, 100, 1024};
    uint64_t several = 0, packed = 0;
    state = 20261124;
    for (int turn = 0; turn < 6000; turn++) {
        const uint64_t room = rooms[draw(COUNT(rooms))], children = 1 + draw(MOST_CHILDREN);
        const limits l = {room, room};
        make_places(places, children, 1 + draw(turn % 3 ? 4 : 200), 1 + draw(turn % 2 ? 60 : 60000),
                    1 + draw(300));
        const sent s = send_all(places, children, l);
        assert_int_equal(s.children, children);
        assert_in_range(s.places, 1, migration_places_for(children, children / l.least + 1));
        several += s.in_words > 1;
        packed += s.in_words < s.messages;
    }
    assert_true(several > 100 && packed > 100);
}

/* Single children far apart. */
static void messages_of_fewer_children_would_need_more(void **unused) {
    (void)unused;
    static uint32_t places[MOST_CHILDREN];
    for (uint32_t n = 0; n < MOST_CHILDREN; n++)
        places[n] = n * 4096;
    const uint64_t room = 100,
                   given = migration_places_for(MOST_CHILDREN, MOST_CHILDREN / room + 1);
    assert_in_range(send_all(places, MOST_CHILDREN, (limits){room, room}).places, 1, given);
    assert_true(send_all(places, MOST_CHILDREN, (limits){room, 0}).places > given);
}

static void without_room_nothing_goes_in_words(void **unused) {
    (void)unused;
    const uint32_t places[] = {5, 6, 6, 7};
    uint64_t children = 4;
    assert_int_equal(migration_words(places, &children, 0, 1), 0);
    assert_int_equal(children, 4);
    assert_int_equal(migration_words(places, &children, 1, 1), 1);
    assert_int_equal(children, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_need_no_more_places_than_remote_parents_are_given),
        cmocka_unit_test(messages_of_fewer_children_would_need_more),
        cmocka_unit_test(without_room_nothing_goes_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
