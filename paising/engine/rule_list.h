/* The resampling rules, a line each: how many children a parent gets of the tau-hat that it expects.
 *
 *     RULE(NAME, name, way, meaning)
 *
 * name: of the option's value, data files and messages. way: how children are counted, which says what functions the rule has in
 * resample/rules.h. meaning: for --help. The first is the default. */
RULE(NEAREST, nearest, BY_THEMSELVES, "one of the two integers next to what is expected")
RULE(SYSTEMATIC, systematic, BY_PLACE, "likewise, and R in all: points at equal distances")
RULE(STRATIFIED, stratified, BY_PLACE, "R in all: one from each R-th part of the weights")
RULE(RESIDUAL, residual, BY_POINTS, "R in all: the whole numbers for sure, the rest drawn")
RULE(MULTINOMIAL, multinomial, BY_POINTS, "R in all: each child draws its parent")
RULE(POISSON, poisson, BY_THEMSELVES, "a Poisson number")
RULE(NONE, none, BY_THEMSELVES, "one, whatever its energy: simulated annealing")
