/* Numbers of states from populations below ceilings (ceilings.h). */
#include "ceilings.h"

#include "base/ieee_math.h"

#include <math.h>
#include <stdlib.h>

bool ceilings_create(ceiling_run *c, energy_levels levels) {
    *c = (ceiling_run){.weighted = calloc(levels.count, sizeof *c->weighted),
                       .looked = calloc(levels.count, sizeof *c->looked)};
    return reweighting_create(&c->found, levels) == 0 && c->weighted != NULL && c->looked != NULL;
}

void ceilings_destroy(ceiling_run *c) {
    reweighting_destroy(&c->found);
    free(c->weighted);
    free(c->looked);
    free(c->of);
    *c = (ceiling_run){.of = NULL};
}

bool ceilings_add(ceiling_run *c, const histogram *h, size_t most, double ln_states,
                  double ln_weight) {
    if (c->count == c->room) {
        const size_t room = c->room > 0 ? 2 * c->room : 256;
        ceiling *const grown = realloc(c->of, room * sizeof *grown);
        if (grown == NULL)
            return false;
        c->of = grown;
        c->room = room;
    }
    const double r = (double)h->population;
    c->of[c->count++] = (ceiling){.most = most,
                                  .ln_states = ln_states,
                                  .ln_weight = ln_weight,
                                  .ln_heating = NAN,
                                  .replicas = r,
                                  .families = (double)h->families,
                                  .rho_t = (double)h->family_squares / r};
    for (size_t n = h->first; n < h->end; n++)
        c->looked[n] += (double)h->level[n].replicas;
    return reweighting_add(&c->found, h, 0, 0) == 0;
}

void ceilings_leave(ceiling_run *c, size_t below, double part) {
    const ceiling *const last = &c->of[c->count - 1];
    double all = 0, left = 0;
    for (size_t n = c->found.first; n < c->found.end; n++) {
        all += c->looked[n];
        left += n <= below ? c->looked[n] : 0;
    }
    const double looks = all / last->replicas, share = left / all,
                 weight = ieee_exp(last->ln_states - last->ln_weight) / looks;
    for (size_t n = c->found.first; n < c->found.end; n++) {
        if (c->looked[n] > 0)
            c->weighted[n] +=
                weight * (n <= below ? part / share : (1 - part) / (1 - share)) * c->looked[n];
        c->looked[n] = 0;
    }
}

size_t ceilings_next(const histogram *h, double cull, size_t lowest) {
    size_t highest = h->end - 1;
    while (h->level[highest].replicas == 0)
        highest--;
    if (highest == 0)
        return SIZE_MAX;
    double above = (double)h->level[highest].replicas;
    size_t most = highest - 1;
    while (most > lowest && above < cull * (double)h->population)
        above += (double)h->level[most--].replicas;
    return most;
}

uint64_t ceilings_left(const histogram *h, size_t most) {
    uint64_t left = 0;
    for (size_t n = h->first; n < h->end && n <= most; n++)
        left += h->level[n].replicas;
    return left;
}

/* How much more probable it is that the k-th of `last` replicas below is the (x + 1)-th one of a look than that it is the x-th. */
static double next_over_this(double replicas, double last, double k, double x) {
    return x / (x - k + 1) * ((replicas - x - last + k) / (replicas - x));
}

double ceilings_part(uint64_t replicas, uint64_t looks, uint64_t before, uint64_t last,
                     uint64_t enough) {
    const double R = (double)replicas, c = (double)last, k = (double)(enough - before);
    const double earlier = (double)(looks - 1) * R, least = k, most = R - c + k;
    const double middle = fmin(fmax(rint(k * (R + 1) / (c + 1)), least), most);
    double all = 1, sum = 1 / (earlier + middle - 1);
    if (looks == 1)
        return c / R;
    for (double x = middle, p = 1; x < most && p > 0x1p-60 * all; x++) {
        p *= next_over_this(R, c, k, x);
        all += p;
        sum += p / (earlier + x);
    }
    for (double x = middle - 1, p = 1; x >= least && p > 0x1p-60 * all; x--) {
        p /= next_over_this(R, c, k, x);
        all += p;
        sum += p / (earlier + x - 1);
    }
    return ((double)enough - 1) * (sum / all);
}

void ceilings_tau_hat(const histogram *h, size_t most, uint64_t target, uint64_t *tau_hat) {
    const double copies = fmin((double)target / (double)ceilings_left(h, most), 0x1p31);
    for (size_t n = h->first; n < h->end; n++)
        tau_hat[n] = n <= most ? (uint64_t)(copies * 0x1p32 + 0.5) : 0;
}

/* ln of exp(a) + exp(b). */
static double ln_sum(double a, double b) {
    const double top = a > b ? a : b;
    return top == -INFINITY ? top : top + ieee_log(ieee_exp(a - top) + ieee_exp(b - top));
}

void ceilings_count_states(ceiling_run *c) {
    reweighting *const r = &c->found;
    double ln_per_state =
        -INFINITY; /* of the replicas that a state of this level is expected to have had */
    size_t k = 0;
    for (size_t n = r->end; n-- > r->first;) {
        for (; k < c->count && c->of[k].most >= n; k++)
            if (k == 0 || c->of[k].most != c->of[k - 1].most)
                ln_per_state =
                    ln_sum(ln_per_state, ieee_log(c->of[k].replicas) - c->of[k].ln_weight);
        if (r->level[n].replicas > 0)
            r->ln_omega[n] = fixed_of(ieee_log(c->weighted[n]) - ln_per_state);
    }
}

void ceilings_sum_heating(ceiling_run *c) {
    c->of[0].ln_heating = c->of[0].ln_states;
    for (size_t k = 1; k < c->count; k++)
        c->of[k].ln_heating = c->of[k].most == c->of[k - 1].most
                                  ? c->of[k - 1].ln_heating
                                  : c->of[k - 1].ln_heating + c->of[k].ln_heating;
}

/* Adds the numbers of states of `from`, and what they are made of, to those of *sum. */
static void add_states(reweighting *sum, const reweighting *from) {
    for (size_t n = from->first; n < from->end; n++) {
        reweighting_level *const to = &sum->level[n];
        if (!(from->level[n].replicas > 0))
            continue;
        sum->ln_omega[n] =
            to->replicas > 0
                ? fixed_of(ln_sum(fixed_value(sum->ln_omega[n]), fixed_value(from->ln_omega[n])))
                : from->ln_omega[n];
        to->replicas += from->level[n].replicas;
        to->abs_m += from->level[n].abs_m;
        to->m2 += from->level[n].m2;
        to->m4 += from->level[n].m4;
        sum->first = sum->first == sum->end || n < sum->first ? n : sum->first;
        sum->end = n + 1 > sum->end ? n + 1 : sum->end;
    }
}

static void divide_states(reweighting *r, double runs) {
    for (size_t n = r->first; n < r->end; n++)
        r->ln_omega[n] -= fixed_of(ieee_log(runs));
}

void ceilings_averages(reweighting of[], const ceiling_run run[], size_t runs) {
    reweighting *const sum = &of[runs];
    reweighting_clear(sum);
    for (size_t m = runs; m-- > 0; add_states(sum, &run[m].found)) {
        reweighting_clear(&of[m]);
        add_states(&of[m], sum);
    }
    reweighting_clear(sum);
    for (size_t m = 0; m < runs; m++) {
        add_states(&of[m], sum);
        add_states(sum, &run[m].found);
        divide_states(&of[m], (double)runs - 1);
    }
    divide_states(sum, (double)runs);
}

double ceilings_variance(const ceiling_run run[], size_t runs, uint64_t spins, double beta) {
    double mean = 0, squares = 0;
    for (size_t m = 0; m < runs; m++) {
        const double ln_z = -reweighting_at(&run[m].found, spins, beta).beta_f, off = ln_z - mean;
        mean += off / (double)(m + 1);
        squares += off * (ln_z - mean);
    }
    return runs > 1 ? squares / (double)(runs - 1) : NAN;
}
