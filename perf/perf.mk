# How fast: the programs that measure, and what makes tables and pictures of it.
HARNESSES += cpu_ratios ceiling energy planes

RATIOS := $(addprefix $(OBJ)/perf/,cpu_ratios.o rounds.o)
$(eval $(call program,cpu_ratios,$(RATIOS)))
$(eval $(call program,ceiling,$(addprefix $(OBJ)/perf/,ceiling_main.o rounds.o $(if $(NVCC),ceiling.cu.o))))
$(eval $(call program,energy,$(OBJ)/perf/energy.o,-ldl))
$(eval $(call program,planes,$(OBJ)/perf/planes.o))

# The unit of the ratios is defined at -O2.
$(eval $(call way,ratios,$$(CC) $$(ALL_CPPFLAGS) $$(C11) -O2 -g,$(RATIOS)))

# PROFILE=quick|paper, DEVICE=auto|cpu|cuda:N
bench: bench-programs
	@perf/bench.sh --profile $(or $(PROFILE),quick) --device $(or $(DEVICE),auto)

bench-check: bench-programs
	@perf/gate.sh --device $(or $(DEVICE),auto)

bench-programs:
	@ci/setup.sh random123 zlib
	@$(MAKE) $(JOBS) all $(addprefix $(BUILD)/,ceiling energy planes)

# PROFILE=quick|paper, or RESULTS=FOLDER
RESULTS ?= $(BUILD)/bench/$(or $(PROFILE),quick)
tables:
	@perf/tables.sh $(RESULTS)

plots: tables
	@ci/setup.sh gnuplot
	@perf/plots.sh $(RESULTS)
	@$(foreach data,$(wildcard $(BUILD)/inflation/*/inflation.dat),\
	  validate/inflation/inflation.sh figures $(dir $(data));)

readme:
	@ci/setup.sh gnuplot
	@perf/readme.sh

ratios: $(BUILD)/cpu_ratios
	@$(BUILD)/cpu_ratios

# DEVICE=auto|cpu|cuda:N
ceiling: $(BUILD)/ceiling
	@$(BUILD)/ceiling -D $(or $(DEVICE),auto)

# DEVICE=auto|cuda:N
profile:
	@$(MAKE) $(JOBS) all
	@perf/profile.sh

.PHONY: bench bench-check bench-programs tables plots readme ratios ceiling profile
