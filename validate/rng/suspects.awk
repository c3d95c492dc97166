# From the results of a battery, the units that repeat suspicious tests: SECONDS STREAM TEST
# REPETITION, twice each. Suspicious is a p-value that is not a failure yet, but less than 1e-4 from 0
# or 1.
{
    p = $6 < 0.5 ? $6 : 1 - $6
    if ($5 == 0 && p < 1e-4 && p >= 1e-10 && !(($2, $4) in seen)) {
        seen[$2, $4]
        for (repetition = 1; repetition <= 2; repetition++)
            print int($7 + 1), $2, $4, repetition
    }
}
