/* Student's t (student.h). */
#include "student.h"

#include <math.h>

double student_tail(double limit, uint64_t n) {
    const long double pi = 3.141592653589793238462643383279502884L;
    const long double angle = atan2l(limit, sqrtl((long double)n));
    const long double sine = sinl(angle), cosine = cosl(angle), square = cosine * cosine;
    /* Each term is the one before times cos^2 (k - 1) / k; odd n: k = 3, 5 .., even n: k = 2, 4 .. */
    long double term = n % 2 ? cosine : 1, sum = 0;
    for (uint64_t k = n % 2 ? 3 : 2; k <= n; k += 2) {
        sum += term;
        term *= square * (long double)(k - 1) / (long double)k;
    }
    const long double within = n % 2 ? 2 / pi * (angle + sine * sum) : sine * sum;
    return within < 1 ? (double)(1 - within) : 0;
}

double student_limit(double probability, uint64_t n) {
    double low = 0, high = 1;
    while (student_tail(high, n) > probability) {
        low = high;
        high *= 2;
    }
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        if (student_tail(middle, n) > probability)
            low = middle;
        else
            high = middle;
    }
    return high;
}
