/* What walks of all spins have on a GPU: windows, thresholds and histograms, there and back (walks.h). */
#include "cuda/engine/walks.h"

#include "cuda/device/arrays.h"

#include <stdlib.h>

/* Makes an array larger if it must be, and clears it: lanes without a walker are read, too. */
template <typename T>
static void grow(cuda_population *p, T **array, uint64_t *room, uint64_t items) {
    if (p->failed || items <= *room)
        return;
    cuda_array_give(*array, ON_DEVICE);
    *array = NULL;
    *room = 0;
    if (CUDA_CHECK(p, cuda_take(array, items * sizeof **array, ON_DEVICE)) &&
        CUDA_CHECK(p, cudaMemsetAsync(*array, 0, items * sizeof **array, p->stream)))
        *room = items;
}

/* Copies an array of the host to a new one. */
template <typename T> static void send(cuda_population *p, T **to, const T *from, uint64_t items) {
    if (!p->failed)
        CUDA_CHECK(p, cuda_take(to, items * sizeof **to, ON_DEVICE));
    if (!p->failed)
        CUDA_CHECK(p, cudaMemcpy(*to, from, items * sizeof **to, cudaMemcpyHostToDevice));
}

static void make_links(cuda_walks *w, cuda_population *p, const spin_graph *g) {
    if (w->link || p->failed)
        return;
    const uint64_t links = 2 * g->bonds + 1; /* one at least */
    walk_site_of_graph *const site = (walk_site_of_graph *)malloc(g->sites * sizeof *site);
    walk_link *const link = (walk_link *)calloc(links, sizeof *link);
    if (!site || !link)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for the links of the graph");
    else
        walk_fill_graph(g, site, link);
    send(p, &w->site, site, g->sites);
    send(p, &w->link, link, links);
    free(site);
    free(link);
}

static void make_bonds(cuda_walks *w, cuda_population *p, const spin_model *m) {
    if (w->bond || p->failed)
        return;
    uint32_t *const bond = walk_bonds(m);
    if (!bond)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for the bonds");
    send(p, &w->bond, bond, m->sites * m->coordination);
    free(bond);
}

walk_sizes cuda_walks_sizes(const engine_walk *walk) {
    walk_sizes s = {};
    for (size_t k = 0; k < walk->windows; k++) {
        const walk_window *const v = &walk->window[k];
        const uint64_t words = (v->count + 31) / 32;
        s.rows += v->levels;
        s.words += words;
        s.most_words = words > s.most_words ? words : s.most_words;
        s.most_levels = v->levels > s.most_levels ? v->levels : s.most_levels;
        s.replicas += v->count;
    }
    return s;
}

static void make_room(cuda_walks *w, cuda_population *p, const spin_model *m, size_t windows,
                      const walk_sizes *s, uint32_t words_of_site) {
    const uint32_t changes = walk_changes(m);
    if (m->graph)
        make_links(w, p, m->graph);
    else
        make_bonds(w, p, m);
    uint64_t of_counts = w->rows_room, of_extremes = 2 * w->replicas_room,
             of_table = w->rows_room * changes;
    grow(p, &w->threshold, &of_table, s->rows * changes);
    grow(p, &w->visits, &of_counts, s->rows);
    w->rows_room = of_counts;
    grow(p, &w->words, &w->words_room, s->words * m->sites * words_of_site);
    grow(p, &w->window, &w->windows_room, windows);
    grow(p, &w->extremes, &of_extremes, 2 * s->replicas);
    w->replicas_room = of_extremes / 2;
}

void cuda_walks_send(cuda_walks *w, cuda_population *p, const spin_model *m,
                     const engine_walk *walk, const walk_sizes *s, uint32_t words_of_site) {
    make_room(w, p, m, walk->windows, s, words_of_site);
    if (p->failed)
        return;
    const uint32_t changes = walk_changes(m);
    cuda_walk_window *const window =
        (cuda_walk_window *)calloc(walk->windows, sizeof(cuda_walk_window));
    if (!window)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for the windows");
    uint64_t row = 0, word = 0;
    for (size_t k = 0; k < walk->windows && !p->failed; k++) {
        const walk_window *const v = &walk->window[k];
        uint32_t *const threshold = w->threshold + row * changes;
        window[k] = cuda_walk_window{v->first,  v->count,  word,           v->lowest,
                                     v->levels, threshold, w->visits + row};
        CUDA_CHECK(p,
                   cudaMemcpyAsync(threshold, v->threshold, v->levels * changes * sizeof *threshold,
                                   cudaMemcpyHostToDevice, p->stream));
        row += v->levels;
        word += (v->count + 31) / 32;
    }
    if (!p->failed)
        CUDA_CHECK(p, cudaMemcpyAsync(w->window, window, walk->windows * sizeof *window,
                                      cudaMemcpyHostToDevice, p->stream));
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(w->visits, 0, s->rows * sizeof *w->visits, p->stream));
    if (!p->failed) /* `window` is freed */
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    free(window);
}

void cuda_walks_receive(const cuda_walks *w, cuda_population *p, const engine_walk *walk,
                        const walk_sizes *s) {
    const size_t bytes = s->replicas * sizeof(uint32_t);
    uint64_t row = 0;
    for (size_t k = 0; k < walk->windows && !p->failed; row += walk->window[k++].levels)
        CUDA_CHECK(p, cudaMemcpyAsync(walk->window[k].visits, w->visits + row,
                                      walk->window[k].levels * sizeof *w->visits,
                                      cudaMemcpyDeviceToHost, p->stream));
    if (!p->failed)
        CUDA_CHECK(
            p, cudaMemcpyAsync(walk->least, w->extremes, bytes, cudaMemcpyDeviceToHost, p->stream));
    if (!p->failed)
        CUDA_CHECK(p, cudaMemcpyAsync(walk->most, w->extremes + s->replicas, bytes,
                                      cudaMemcpyDeviceToHost, p->stream));
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
}

void cuda_walks_destroy(cuda_walks *w) {
    void *const array[] = {w->bond,      w->site,   w->link,   w->words,
                           w->threshold, w->visits, w->window, w->extremes};
    for (void *const a : array)
        cuda_array_give(a, ON_DEVICE);
}
