/* The methods of simulation, a line each: METHOD(name, title in headers of data files, meaning). The file method/NAME.c defines
 * `const method NAME_method` (method/method.h). The first is the default. */
METHOD(annealing, "population annealing", "population annealing")
METHOD(canonical, "canonical simulation", "R replicas at each of fixed temperatures")
METHOD(tempering, "parallel tempering", "R chains of replicas that exchange their temperatures")
METHOD(microcanonical, "microcanonical annealing",
       "a population below an energy ceiling that falls, of other spins than Ising's")
