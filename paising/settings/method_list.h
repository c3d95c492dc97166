/* The methods of simulation, a line each: METHOD(file, value of --method, title in headers of data files, meaning). method/FILE.c
 * defines `const method FILE_method` (method/method.h). The first is the default. */
METHOD(annealing, "annealing", "population annealing", "population annealing")
METHOD(canonical, "canonical", "canonical simulation", "R replicas at each of fixed temperatures")
METHOD(tempering, "tempering", "parallel tempering",
       "R chains of replicas that exchange their temperatures")
METHOD(microcanonical, "microcanonical", "microcanonical annealing",
       "a population below an energy ceiling that falls; ssc")
METHOD(multicanonical, "multicanonical", "multicanonical simulation",
       "R walkers with weights that make the histogram of the energy flat; ssc")
METHOD(wang_landau, "wang-landau", "Wang-Landau simulation",
       "the same, with weights that change while the walkers go on; ssc")
