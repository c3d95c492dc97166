/* Multi-spin coding (Sec. 4) with a separate decision for every spin, the mode `independent` of the
 * engines. Read it after plain.c, which includes it. This code treats one spin at a time; the
 * engines treat 32.
 *
 * In the engines spins are bits. A machine word holds the spins of 32 replicas, its lanes, at the
 * same site. Logical instructions find the number d of unsatisfied bonds for all lanes. With d of 4
 * bonds unsatisfied a flip changes the energy by dE = 8 - 4 d. Random decisions are needed for
 * spins with d = 0 or 1, their class: a flip is accepted with probability p_d = exp(-beta dE), by Metropolis' rule. 32
 * random numbers of 32 bits per word would take as long as in plain.c. Therefore random words are
 * used bit by bit, each lane using its own bits:
 *
 *   Bit planes. Let 0.t_1 t_2 ... t_K be the first K binary digits of p_d. Begin with accept = no.
 *   For the digits from the last to the first, with a random bit r, accept becomes (accept or r)
 *   if the digit is 1, and (accept and r) if it is 0. This halves the probability of accept, and
 *   adds 1/2 if the digit is 1, so that it ends at f_d = 0.t_1 ... t_K. One random word per digit
 *   decides for 32 lanes, of either class.
 *
 *   Points. The remainder, q_d = (p_d - f_d) / (1 - f_d), is small: a lane that was not accepted
 *   yet is accepted with probability q_d. Random points fall on lanes. A lane is hit with
 *   probability q_d if the mean number of points per lane is lambda_d = -ln(1 - q_d), since
 *   exp(-lambda) is the probability of none. The number of points is that of the denser class.
 *   Each point has a mark, a random number, and counts in the other class if the mark is below the
 *   ratio of the two lambdas.
 *
 * In a heat bath, 0 <= d <= 4, a spin with d > 2 flips if one with 4 - d would not, and one with d = 2 with probability
 * 1/2. Since p_d <= 1/2, planes and points decide with 2 p_d, spins with d = 2 accept, and a further random bit takes
 * half of all that is accepted.
 *
 * Every decision thus has its exact probability and is independent of all others. More planes need
 * fewer points; K is the number with the least cost.
 *
 * Lanes can be stripes of a lattice in place of replicas: with n stripes each, stripe b of a lattice is its rows b L / n to (b + 1)
 * L / n - 1, and lane n k + b of the population is stripe b of lattice k. Nothing else changes.
 *
 * Random words come from small generators. Each serves a strip of the lattice: 8 successive rows of
 * one column of a colour, and the same of the other colour, 16 machine words in all; behind the last row of the lattice some
 * are of no spin. Up to 32 strips form a group. The strips of a group draw in common how many points fall on the group, and
 * throw them in turn. */
#define LANES       32
#define STRIP_ROWS  8
#define MOST_GROUP  32  /* strips in a group */
#define MOST_POINTS 384 /* points on a group; more are less likely than 2^-50 */
#define MOST_PLANES 45

/* --- Random numbers of a strip --- */

/* Multiply with carry of lag 2: x_n + 2^32 c_n = A x_n-2 + c_n-1. Philox seeds it at every
 * temperature. */
typedef struct {
    uint32_t newer, older, carry; /* x_n-1, x_n-2, c_n-1 */
} generator;

#define MULTIPLIER UINT64_C(0xef319015) /* A */

static uint32_t next_number(generator *g) {
    const uint64_t sum = MULTIPLIER * g->older + g->carry;
    g->older = g->newer;
    g->newer = (uint32_t)sum;
    g->carry = (uint32_t)(sum >> 32);
    return g->newer;
}

/* Seeds a generator. Carries from 1 to A - 2 are equally probable. */
static generator begin_generator(uint64_t key, use u) {
    const four_numbers n = philox(key, u);
    const uint64_t carries = MULTIPLIER - 2,
                   scaled = (n.r[3] * carries + (n.r[2] * carries >> 32)) >> 32;
    return (generator){n.r[0], n.r[1], (uint32_t)(1 + scaled)};
}

/* A uniform random number that is compared with probabilities digit by digit, to base 2^32, with
 * the full accuracy of a double. Two further digits are drawn if the first one, r, equals that of
 * the probability, and only once for all comparisons. */
typedef struct {
    generator *from;
    uint32_t r;
    bool drawn;
    uint64_t further;
} uniform_number;

static uniform_number draw_uniform(generator *from) {
    return (uniform_number){.from = from, .r = next_number(from)};
}

/* rest >= 1: the digit of p is larger than r; rest <= 0: it is smaller. */
static bool is_below(uniform_number *n, double p) {
    const double rest = 0x1p32 * p - n->r;
    if (rest > 0 && rest < 1 && !n->drawn) {
        n->further = (uint64_t)next_number(n->from) << 32;
        n->further |= next_number(n->from);
        n->drawn = true;
    }
    return rest >= 1 || (rest > 0 && n->further < (uint64_t)(0x1p64 * rest));
}

/* --- The rule at a temperature --- */

typedef struct {
    bool heat_bath;
    uint32_t group;                /* strips in a group, a power of two */
    uint32_t planes;               /* K */
    uint64_t digits[2];            /* 2^K f_d of each class */
    int denser;                    /* the class with the larger lambda */
    double counts;                 /* probability that a point counts in the other class */
    double more_than[MOST_POINTS]; /* probability of more than n points on a group */
} decision_rule;

/* lambda_d with K = `planes`. */
static double density(double p, uint32_t planes) {
    const double f = ldexp(floor(ldexp(p, (int)planes)), -(int)planes);
    return -ieee_log1p(-(p - f) / (1 - f));
}

/* K. In units of the cost of a plane, a turn in which every strip of a group throws a point costs
 * 0.7; half a turn is idle on average. */
static uint32_t cheapest_planes(const double p[2], uint32_t group) {
    uint32_t cheapest = MOST_PLANES;
    double least = INFINITY;
    for (uint32_t planes = 0; planes <= MOST_PLANES && planes < least; planes++) {
        const double points =
            LANES * STRIP_ROWS * fmax(density(p[0], planes), density(p[1], planes));
        const double cost = planes + (points > 0 ? 0.7 * (points + 0.5) : 0);
        if (points * group <= 240 && cost < least) {
            least = cost;
            cheapest = planes;
        }
    }
    return cheapest;
}

/* The Poisson distribution of this mean: P(more than n), summed from the small terms on. */
static void fill_more_than(double more_than[MOST_POINTS], double mean) {
    double term[2 * MOST_POINTS] = {ieee_exp(-mean)}, sum = 0;
    int terms = 1;
    for (; terms < 2 * MOST_POINTS && term[terms - 1] > 0; terms++)
        term[terms] = term[terms - 1] * (mean / terms);
    for (int n = terms - 1; n > 0; n--) {
        sum += term[n];
        if (n <= MOST_POINTS)
            more_than[n - 1] = fmin(sum, 1);
    }
}

static decision_rule rule_at(flip_rule flips, uint32_t strips) {
    double p[2], lambda[2];
    decision_rule rule = {.heat_bath = flips.heat_bath, .group = 1};
    while (rule.group < MOST_GROUP && 2 * rule.group <= strips)
        rule.group *= 2;
    for (int d = 0; d < 2; d++)
        p[d] = fmin((flips.heat_bath ? 2 : 1) * acceptance(flips, 8 - 4 * d), 1 - 0x1p-45);
    rule.planes = cheapest_planes(p, rule.group);
    for (int d = 0; d < 2; d++) {
        rule.digits[d] = (uint64_t)ldexp(p[d], (int)rule.planes);
        lambda[d] = density(p[d], rule.planes);
    }
    rule.denser = lambda[1] >= lambda[0];
    if (lambda[rule.denser] > 0)
        rule.counts = lambda[!rule.denser] / lambda[rule.denser];
    fill_more_than(rule.more_than, lambda[rule.denser] * LANES * STRIP_ROWS * rule.group);
    return rule;
}

/* --- The lattices of a machine word --- */

/* The lattices of up to 32 replicas or stripes, and the random state of each strip. */
typedef struct {
    uint32_t L, strips;
    uint32_t stripes; /* of a lattice, each of L / stripes rows; 1: lanes are whole lattices */
    uint32_t lanes;   /* number of replicas, or of their stripes */
    int8_t *spins;    /* (lanes / stripes, L, L) */
    generator *stream;
    uint32_t *points; /* points on the group, for the turn in which this strip throws first */
    uint32_t (*hit)[2][STRIP_ROWS]; /* [d] lanes hit by points that count for d */
    const uint32_t *place;          /* each strip's number row by row; NULL: its own */
} lattice_word;

/* Throws the points of a group of strips in half sweep h of half_sweeps. */
static void throw_points(lattice_word *w, const decision_rule *rule, uint32_t first,
                         uint32_t strips, uint64_t h, uint64_t half_sweeps) {
    for (uint32_t n = 0; h % strips == 0 && n < strips && h + n < half_sweeps; n++) {
        uniform_number u = draw_uniform(&w->stream[first + n]);
        uint32_t *const points = &w->points[first + n];
        for (*points = 0; *points < MOST_POINTS && is_below(&u, rule->more_than[*points]);)
            ++*points;
    }
    for (uint32_t point = 0; point < w->points[first + h % strips]; point++) {
        generator *const thrower = &w->stream[first + point % strips];
        const uint32_t place = next_number(thrower);
        uniform_number mark = draw_uniform(thrower);
        const uint32_t lane = place % LANES, row = (place >> 5 & 3) * 2 + (place >> 12 & 1),
                       strip = (place >> 7) % rule->group;
        const bool counts = is_below(&mark, rule->counts);
        if (strip >= strips) /* the last group may have fewer strips: the point is lost */
            continue;
        w->hit[first + strip][rule->denser][row] |= 1u << lane;
        if (counts)
            w->hit[first + strip][!rule->denser][row] |= 1u << lane;
    }
}

/* Whether planes and points accept for a spin with d unsatisfied bonds, d < 2. */
static bool accepts(const lattice_word *w, const decision_rule *rule, uint32_t strip, uint32_t row,
                    uint32_t lane, int d, uint32_t random[MOST_PLANES][STRIP_ROWS]) {
    bool accept = false;
    for (uint32_t k = 0; k < rule->planes; k++) {
        const bool r = random[k][row] >> lane & 1;
        accept = rule->digits[d] >> k & 1 ? accept || r : accept && r;
    }
    return accept || w->hit[strip][d][row] >> lane & 1;
}

/* Updates the spins of one colour in a strip. */
static void update_strip(lattice_word *w, const decision_rule *rule, uint32_t strip,
                         uint32_t colour) {
    uint32_t random[MOST_PLANES][STRIP_ROWS] = {{0}}, half[STRIP_ROWS] = {0};
    for (uint32_t k = 0;
         k < rule->planes;) { /* two planes at a time; the first one alone if their number is odd */
        const uint32_t end = k + 1 + (k > 0 || rule->planes % 2 == 0);
        for (uint32_t row = 0; row < STRIP_ROWS; row++)
            for (uint32_t plane = k; plane < end; plane++)
                random[plane][row] = next_number(&w->stream[strip]);
        k = end;
    }
    for (uint32_t row = 0; rule->heat_bath && row < STRIP_ROWS; row++)
        half[row] = next_number(&w->stream[strip]);
    const uint32_t place = w->place ? w->place[strip] : strip,
                   top = place / (w->L / 2) * STRIP_ROWS;
    for (uint32_t row = 0; row < STRIP_ROWS && top + row < w->L / w->stripes; row++) {
        const uint32_t y_of_lane = top + row, x = place % (w->L / 2) * 2 + (y_of_lane + colour) % 2;
        for (uint32_t lane = 0; lane < w->lanes; lane++) {
            int8_t(*const s)[w->L] =
                (void *)(w->spins + (uint64_t)(lane / w->stripes) * w->L * w->L);
            const uint32_t y = lane % w->stripes * (w->L / w->stripes) + y_of_lane;
            const int dE = flip_energy(w->L, s, y, x), costs = rule->heat_bath ? abs(dE) : dE;
            bool flips = costs <= 0 || accepts(w, rule, strip, row, lane, 2 - costs / 4, random);
            if (rule->heat_bath)
                flips = (flips && half[row] >> lane & 1) != (dE < 0);
            if (flips)
                s[y][x] = (int8_t)-s[y][x];
        }
    }
    memset(w->hit[strip], 0, sizeof w->hit[strip]);
}

/* theta sweeps. Every strip's generator is seeded first. */
static void update_word(lattice_word *w, const decision_rule *rule, uint32_t theta, uint64_t key,
                        use u) {
    for (u.position = 0; u.position < w->strips; u.position++)
        w->stream[u.position] = begin_generator(key, u);
    const uint64_t half_sweeps = 2 * (uint64_t)theta;
    for (uint64_t h = 0; h < half_sweeps; h++) {
        for (uint32_t first = 0; first < w->strips; first += rule->group) {
            const uint32_t left = w->strips - first,
                           strips = left < rule->group ? left : rule->group;
            throw_points(w, rule, first, strips, h, half_sweeps);
        }
        for (uint32_t strip = 0; strip < w->strips; strip++)
            update_strip(w, rule, strip, (uint32_t)(h % 2));
    }
}

/* --- Called from plain.c --- */

/* Draws random states: a random number holds the spins of 32 replicas or stripes at a site. Sites are visited
 * as in randomise_lattice. */
static void randomise_words(uint32_t L, uint32_t stripes, int8_t *spins, uint64_t R, uint64_t key) {
    const uint32_t rows = L / stripes;
    for (uint64_t j = 0; j < R * stripes; j++) {
        int8_t(*const s)[L] = (void *)(spins + j * rows * L);
        use u = {.purpose = RANDOMISE, .owner = (uint32_t)(j / LANES)};
        for (uint32_t colour = 0, n = 0; colour < 2; colour++)
            for (uint32_t y = 0; y < rows; y++)
                for (uint32_t x = (y + colour) % 2; x < L; x += 2, n++) {
                    u.position = n / 4;
                    s[y][x] = philox(key, u).r[n % 4] >> j % LANES & 1 ? 1 : -1;
                }
    }
}

/* theta sweeps of R replicas at one temperature. */
static void sweep_words(uint32_t L, uint32_t stripes, int8_t *spins, uint64_t R, flip_rule flips,
                        uint32_t theta, uint64_t key, uint32_t step) {
    const uint32_t strips = L / 2 * ((L / stripes + STRIP_ROWS - 1) / STRIP_ROWS);
    const decision_rule rule = rule_at(flips, strips);
    const uint64_t lanes = R * stripes;
    lattice_word w = {.L = L, .strips = strips, .stripes = stripes};
    w.stream = calloc(strips, sizeof *w.stream);
    w.points = calloc(strips, sizeof *w.points);
    w.hit = calloc(strips, sizeof *w.hit);
    if (!w.stream || !w.points || !w.hit)
        errx(2, "not enough memory");
    for (uint64_t first = 0; first < lanes; first += LANES) {
        const use u = {.purpose = STRIP, .owner = (uint32_t)(first / LANES), .step = step};
        w.spins = spins + first / stripes * L * L;
        w.lanes = (uint32_t)(lanes - first < LANES ? lanes - first : LANES);
        update_word(&w, &rule, theta, key, u);
    }
    free(w.stream);
    free(w.points);
    free(w.hit);
}
