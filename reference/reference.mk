# The exact results: a part of the library, and a program.
EXACT := $(addprefix $(OBJ)/reference/,exact_main.o exact_request.o)
LIBRARY += $(filter-out $(EXACT) %/plain.o %/plain_graph.o %/plain_series.o %/plain_stripes.o %/plain_clusters.o %/plain_flat.o,$(call objects_of,reference))
$(eval $(call program,exact,$(EXACT)))

# Population annealing in one file, and multi-spin coding in another, which need only exp and log.
command_plain = $(CC) $(filter-out -fopenmp,$(ALL_CFLAGS)) -O2 $(LDFLAGS) \
                -o $(BUILD)/plain reference/plain.c -lm
$(BUILD)/plain: reference/plain.c reference/plain_msc.h paising/base/ieee_math.h $(BUILD)/commands/plain
	$(command_plain)

# Population annealing of a graph in one file.
command_plain_graph = $(CC) $(filter-out -fopenmp,$(ALL_CFLAGS)) -O2 $(LDFLAGS) \
                      -o $(BUILD)/plain_graph reference/plain_graph.c -lm
$(BUILD)/plain_graph: reference/plain_graph.c paising/base/ieee_math.h $(BUILD)/commands/plain_graph
	$(command_plain_graph)

# Canonical simulation and tempering in one file.
command_plain_series = $(CC) $(filter-out -fopenmp,$(ALL_CFLAGS)) -O2 $(LDFLAGS) \
                       -o $(BUILD)/plain_series reference/plain_series.c -lm
$(BUILD)/plain_series: reference/plain_series.c paising/base/ieee_math.h $(BUILD)/commands/plain_series
	$(command_plain_series)

# Lattices of stripes, in a file that takes in plain.c.
command_plain_stripes = $(CC) $(filter-out -fopenmp,$(ALL_CFLAGS)) -O2 $(LDFLAGS) \
                        -o $(BUILD)/plain_stripes reference/plain_stripes.c -lm
$(BUILD)/plain_stripes: reference/plain_stripes.c reference/plain.c reference/plain_msc.h paising/base/ieee_math.h \
                        $(BUILD)/commands/plain_stripes
	$(command_plain_stripes)

# Cluster updates in one file.
command_plain_clusters = $(CC) $(filter-out -fopenmp,$(ALL_CFLAGS)) -O2 $(LDFLAGS) \
                         -o $(BUILD)/plain_clusters reference/plain_clusters.c -lm
$(BUILD)/plain_clusters: reference/plain_clusters.c paising/base/ieee_math.h $(BUILD)/commands/plain_clusters
	$(command_plain_clusters)

# Flat histograms in one file.
command_plain_flat = $(CC) $(filter-out -fopenmp,$(ALL_CFLAGS)) -O2 $(LDFLAGS) \
                     -o $(BUILD)/plain_flat reference/plain_flat.c -lm
$(BUILD)/plain_flat: reference/plain_flat.c paising/base/ieee_math.h $(BUILD)/commands/plain_flat
	$(command_plain_flat)
