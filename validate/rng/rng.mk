# The quality of the random numbers: its programs, make rng and make rng-table (README.md).
HARNESSES += rng_streams rng_lags rng_ising rng_tiles rng_annealing
# The parameters of MTGP32 come with the CUDA toolkit.
# GENERATOR=my.c: the user's own generator (external.h) in the place of the example's, through a file that rng.py makes.
GENERATOR := validate/rng/example_generator.c
EXTERNAL_SOURCE := $(if $(filter file,$(origin GENERATOR)),$(GENERATOR),$(BUILD)/external/generator.c)
EXTERNAL := $(OBJ)/external/$(basename $(notdir $(EXTERNAL_SOURCE))).o
command_external = $(COMPILE)
$(EXTERNAL): $(EXTERNAL_SOURCE) $(BUILD)/commands/external
	@mkdir -p $(@D)
	$(command_external) -MMD -MP -c -o $@ $<
GENERATORS_OF_TABLE := $(addprefix $(OBJ)/validate/rng/,generators.o multipliers.o mtgp32.o $(if $(NVCC),mtgp32_sets.cu.o)) $(EXTERNAL)
STREAMS_UNDER_TEST := $(patsubst %,$(OBJ)/validate/rng/%_streams.o,counted strip mwc2 control table) \
                      $(OBJ)/validate/rng/streams_under_test.o $(GENERATORS_OF_TABLE)
$(eval $(call program,rng_streams,$(OBJ)/validate/rng/list_streams.o $(STREAMS_UNDER_TEST)))
$(eval $(call program,rng_lags,$(addprefix $(OBJ)/validate/rng/,lags_main.o lags.o) $(STREAMS_UNDER_TEST)))
$(eval $(call program,rng_battery,$(OBJ)/validate/rng/battery.o $(STREAMS_UNDER_TEST),\
         -ltestu01 -ltestu01probdist -ltestu01mylib))
$(eval $(call program,rng_ising,$(addprefix $(OBJ)/validate/rng/,ising.o ising_controls.o)))
$(eval $(call program,rng_tiles,$(addprefix $(OBJ)/validate/rng/,tiles_main.o tiles.o $(if $(NVCC),tiles.cu.o sequence.cu.o)) \
         $(GENERATORS_OF_TABLE)))
$(eval $(call program,rng_annealing,$(OBJ)/validate/rng/annealing.o $(GENERATORS_OF_TABLE)))

# Without TestU01 there is no rng_battery, and who would run it says that it is skipped.
rng-battery: $(BUILD)/rng_streams
	@if ci/setup.sh testu01; then $(MAKE) $(BUILD)/rng_battery; else rm -f $(BUILD)/rng_battery; fi

BATTERY ?= smallcrush
# Programs that rng.py runs are those of this folder.
export BUILD
rng:
	@ci/setup.sh random123 zlib python3
ifneq ($(origin GENERATOR),file)
	@validate/rng/rng.py generator $(BUILD)
	@$(MAKE) $(PARALLEL) rng-battery $(addprefix $(BUILD)/,rng_lags rng_tiles rng_annealing)
	@validate/rng/rng.py external $(BATTERY)
else
	@$(MAKE) $(PARALLEL) rng-battery $(BUILD)/rng_ising
	@status=0; validate/rng/rng.py test $(BATTERY) $(STREAMS) || status=$$?; \
	 [ $$status -lt 2 ] || exit $$status; \
	 validate/rng/rng.py ising $(or $(PROFILE),quick) || status=1; exit $$status
endif

# The Ising test at the papers' precision, in pieces of SECONDS (240) on a GPU, or DEVICE=cpu in sequence; again: more
rng-tiles:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) $(BUILD)/rng_tiles
	@validate/rng/rng.py tiles $(ROWS)

# What the logs of make rng say, as a table.
rng-table: $(BUILD)/rng_streams $(BUILD)/rng_ising
	@ci/setup.sh python3
	@validate/rng/rng.py table $(or $(PROFILE),quick)

.PHONY: rng rng-battery rng-tiles rng-table
