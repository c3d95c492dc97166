/* The names of the kinds of engine. */
#include "kinds.h"

const char *coding_name(spin_coding coding) {
    return coding == CODING_SSC ? "ssc" : "msc";
}

const char *rng_name(rng_mode mode) {
    switch (mode) {
    case RNG_INDEPENDENT:
        return "independent";
    case RNG_PHILOX:
        return "philox";
    case RNG_SHARED:
        return "shared";
    case RNG_SHARED_REORDER:
        return "shared-reorder";
    case RNG_LCG:
        return "lcg";
    }
    return "unknown";
}

const char *resampling_name(resampling_rule rule) {
    static const char *const names[] = {
#define RULE(NAME, name, way, meaning) #name,
#include "rule_list.h"
#undef RULE
    };
    return names[rule];
}

const char *stages_name(stage_mode stages) {
    switch (stages) {
    case STAGES_FUSED:
        return "fused";
    case STAGES_APART:
        return "apart";
    case STAGES_HYBRID:
        return "hybrid";
    }
    return "unknown";
}

downhill_flips most_general_flips(spin_coding coding, rng_mode rng) {
    if (coding == CODING_SSC)
        return DOWNHILL_OF_ITS_OWN;
    return rng == RNG_INDEPENDENT ? DOWNHILL_COMPLEMENT : DOWNHILL_ALWAYS;
}
