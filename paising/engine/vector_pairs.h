/* What a site adds to the overlaps of two replicas (vector_overlaps.h), for one kind of components. OF is that of vector_math.h, and
 * before this is read there are OF(spin_at)(l, n, spins, site), a vector_double_spin, and OF(bond_at)(l, site, d), the J of its bond
 * to the next site in direction d. It is read once for each kind; so there is no include guard. at[3]: x, y, z of the site. */

/* Bonds to the next sites; and the plaquettes whose first corner it is, or the chains of three sites in the middle of which it is. */
STREAM_FUNCTION void OF(add_bonds)(const vector_lattice *l, uint32_t n, uint32_t dimension,
                                   const REAL *a, const REAL *b, const uint32_t at[3],
                                   int64_t *link, int64_t *self, int64_t *chirality) {
    const uint32_t i = vector_site_ahead(l, at, VECTOR_NO_STEP, VECTOR_NO_STEP);
    const vector_double_spin s = OF(spin_at)(l, n, a, i), t = OF(spin_at)(l, n, b, i);
    for (uint32_t d = 0; d < dimension; d++) {
        const uint32_t j = vector_site_ahead(l, at, d, VECTOR_NO_STEP);
        const vector_double_spin s_next = OF(spin_at)(l, n, a, j), t_next = OF(spin_at)(l, n, b, j);
        const double J = OF(bond_at)(l, i, d), p = vector_double_product(n, s, s_next),
                     q = vector_double_product(n, t, t_next);
        if (J != 0) {
            *link += vector_fixed(p * q);
            *self += vector_fixed(p * p) + vector_fixed(q * q);
        }
        if (n == 3) {
            const uint32_t k = vector_site_before(l, at, d);
            const vector_double_spin s_last = OF(spin_at)(l, n, a, k),
                                     t_last = OF(spin_at)(l, n, b, k);
            *chirality += vector_chirality(n, vector_triple(&s, &s_next, &s_last),
                                           vector_triple(&t, &t_next, &t_last));
        }
        for (uint32_t e = 0; e < d && n == 2; e++) {
            const uint32_t k = vector_site_ahead(l, at, d, e),
                           m = vector_site_ahead(l, at, e, VECTOR_NO_STEP);
            const double around[4] = {J, OF(bond_at)(l, j, e), OF(bond_at)(l, m, d),
                                      OF(bond_at)(l, i, e)};
            const vector_double_spin of_a[4] = {s, s_next, OF(spin_at)(l, n, a, k),
                                                OF(spin_at)(l, n, a, m)},
                                     of_b[4] = {t, t_next, OF(spin_at)(l, n, b, k),
                                                OF(spin_at)(l, n, b, m)};
            *chirality +=
                vector_chirality(n, vector_plaquette(of_a, around), vector_plaquette(of_b, around));
        }
    }
}
