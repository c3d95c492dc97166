# Benchmarks: what perf/README.md describes. The Makefile of the top folder includes this.

PERF_PROGRAMS := $(addprefix $(BUILD)/,cpu_ratios ceiling energy)
everything: $(PERF_PROGRAMS)

$(BUILD)/cpu_ratios: $(OBJ)/perf/cpu_ratios.o $(OBJ)/perf/rounds.o
$(BUILD)/ceiling: $(OBJ)/perf/ceiling_main.o $(OBJ)/perf/rounds.o \
                  $(if $(NVCC),$(OBJ)/perf/ceiling.cu.o)
$(BUILD)/energy: $(OBJ)/perf/energy.o
$(BUILD)/energy: LDLIBS += -ldl
$(PERF_PROGRAMS): $(BUILD)/libpaising.a
	$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/libpaising.a $(LDLIBS)

# The unit of the ratios is defined at -O2.
$(OBJ)/perf/cpu_ratios.o $(OBJ)/perf/rounds.o: CFLAGS = -O2 -g

# PROFILE=quick|paper, DEVICE=auto|cpu|cuda:N
bench: bench-programs
	@perf/paising-bench measure --profile $(or $(PROFILE),quick) --device $(or $(DEVICE),auto)

# The status of make is 2 where that of the gate is 1.
bench-check: bench-programs
	@perf/paising-bench gate --device $(or $(DEVICE),auto)

bench-programs:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(addprefix $(BUILD)/,ceiling energy)

# PROFILE=quick|paper, or RESULTS=FOLDER
RESULTS ?= $(BUILD)/bench/$(or $(PROFILE),quick)
tables:
	@ci/setup.sh python3
	@perf/paising-bench tables $(RESULTS)

plots: tables
	@ci/setup.sh gnuplot
	@perf/paising-bench plots $(RESULTS)
	@$(foreach data,$(wildcard $(BUILD)/inflation/*/inflation.dat),\
	  validate/inflation/inflation.sh figures $(dir $(data));)

readme:
	@ci/setup.sh gnuplot python3
	@perf/paising-bench readme

ratios: $(BUILD)/cpu_ratios
	@$(BUILD)/cpu_ratios

# DEVICE=auto|cpu|cuda:N
ceiling: $(BUILD)/ceiling
	@$(BUILD)/ceiling -D $(or $(DEVICE),auto)

# DEVICE=auto|cuda:N
profile:
	@ci/setup.sh python3
	@$(MAKE) --no-print-directory -j$(shell nproc) all
	@perf/paising-bench profile --device $(or $(DEVICE),auto)

.PHONY: bench bench-check bench-programs tables plots readme ratios ceiling profile
