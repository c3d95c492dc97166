/* Densities of states (density.h). Sums are in the order of the levels, so that they have the same bits everywhere. */
#include "density.h"

#include "base/ieee_math.h"

#include <math.h>

/* ln of the sum of exp x over the levels where x is a number; -INFINITY of none. */
static double ln_sum(const double x[], const energy_levels *l, double beta, size_t levels) {
    double top = -INFINITY, sum = 0;
    for (size_t n = 0; n < levels; n++) {
        const double y = l ? x[n] - beta * (double)level_energy(*l, n) / level_unit(*l) : x[n];
        top = y > top ? y : top;
    }
    for (size_t n = 0; n < levels && top > -INFINITY; n++) {
        const double y = l ? x[n] - beta * (double)level_energy(*l, n) / level_unit(*l) : x[n];
        sum += y > -INFINITY ? ieee_exp(y - top) : 0;
    }
    return top + ieee_log(sum);
}

/* By how much ln g of a window is raised to join that of the windows before it; NAN if nothing is common. total[]: visits of those before. */
static double offset_of(const density_window *w, const uint64_t visits[], const double ln_g[],
                        const double total[]) {
    double sum = 0, weights = 0;
    for (uint32_t n = 0; n < w->levels; n++) {
        const double here = (double)visits[n], before = total[w->lowest + n];
        if (here == 0 || before == 0)
            continue;
        const double weight = here * before / (here + before);
        sum += weight * (ln_g[w->lowest + n] - (ieee_log(here) - w->ln_w[n]));
        weights += weight;
    }
    return sum / weights;
}

bool density_of_states(const density_window window[], size_t windows, const uint64_t visits[],
                       double ln_states, size_t levels, double total[], double ln_g[]) {
    for (size_t n = 0; n < levels; n++) {
        total[n] = 0;
        ln_g[n] = NAN;
    }
    bool joined = true;
    for (size_t k = 0; k < windows && joined; visits += window[k++].levels) {
        const density_window *const w = &window[k];
        const double offset = k > 0 ? offset_of(w, visits, ln_g, total) : 0;
        joined = !isnan(offset);
        for (uint32_t n = 0; n < w->levels && joined; n++) {
            const double here = (double)visits[n];
            double *const before = &total[w->lowest + n], *const x = &ln_g[w->lowest + n];
            if (here == 0)
                continue;
            const double own = ieee_log(here) - w->ln_w[n] + offset;
            *x = *before > 0 ? (*before * *x + here * own) / (*before + here) : own;
            *before += here;
        }
    }
    const double norm = ln_sum(ln_g, NULL, 0, levels) - ln_states;
    for (size_t n = 0; n < levels; n++)
        ln_g[n] -= norm;
    return joined && norm > -INFINITY;
}

density_averages density_at(const double ln_g[], energy_levels levels, uint64_t spins,
                            double beta) {
    const double ln_z = ln_sum(ln_g, &levels, beta, levels.count), N = (double)spins;
    double e = 0, e2 = 0;
    density_averages a = {.edge = NAN, .top = NAN};
    for (size_t n = 0; n < levels.count; n++) {
        if (isnan(ln_g[n]))
            continue;
        const double energy = (double)level_energy(levels, n) / level_unit(levels);
        const double p = ieee_exp(ln_g[n] - beta * energy - ln_z);
        a.edge = isnan(a.edge) ? p : a.edge;
        a.top = p;
        e += p * energy;
    }
    for (size_t n = 0; n < levels.count; n++) {
        if (isnan(ln_g[n]))
            continue;
        const double energy = (double)level_energy(levels, n) / level_unit(levels);
        e2 += ieee_exp(ln_g[n] - beta * energy - ln_z) * ((energy - e) * (energy - e));
    }
    a.e = e / N;
    a.c = beta * beta * e2 / N;
    a.beta_f = -ln_z / N;
    a.s = beta * a.e - a.beta_f;
    a.variance = e2 / N / N;
    return a;
}

double density_effective_attempts(const uint64_t counts[], size_t groups, size_t rows,
                                  const density_window window[], size_t windows) {
    double independent = 0, variances = 0, attempts = 0;
    size_t row = 0;
    for (size_t k = 0; k < windows; row += window[k++].levels) {
        double all[groups], sum = 0;
        for (size_t g = 0; g < groups; g++) {
            all[g] = 0;
            for (uint32_t n = 0; n < window[k].levels; n++)
                all[g] += (double)counts[g * rows + row + n];
            sum += all[g];
        }
        attempts += sum;
        for (uint32_t n = 0; n < window[k].levels; n++) {
            double mean = 0, variance = 0;
            for (size_t g = 0; g < groups; g++)
                mean += (double)counts[g * rows + row + n] / all[g] / (double)groups;
            for (size_t g = 0; g < groups; g++) {
                const double d = (double)counts[g * rows + row + n] / all[g] - mean;
                variance += d * d / (double)(groups - 1) / (double)groups;
            }
            independent += mean * (1 - mean) / sum;
            variances += variance;
        }
    }
    return groups > 1 && variances > 0 ? attempts * independent / variances : NAN;
}

double density_error(const double without[], size_t groups) {
    double mean = 0, sum = 0;
    for (size_t g = 0; g < groups; g++)
        mean += without[g] / (double)groups;
    for (size_t g = 0; g < groups; g++)
        sum += (without[g] - mean) * (without[g] - mean);
    return groups > 1 ? sqrt(sum * (double)(groups - 1) / (double)groups) : NAN;
}
