# How fast: the programs that measure, and what makes tables and pictures of it.
HARNESSES += cpu_ratios ceiling energy exchange_volume climb curand_sweep

RATIOS := $(addprefix $(OBJ)/perf/,cpu_ratios.o rounds.o)
$(eval $(call program,cpu_ratios,$(RATIOS)))
$(eval $(call program,ceiling,$(addprefix $(OBJ)/perf/,ceiling_main.o rounds.o $(if $(NVCC),ceiling.cu.o))))
$(eval $(call program,climb,$(addprefix $(OBJ)/perf/,climb/climb_main.o climb/climb_twin.o rounds.o $(if $(NVCC),climb/climb.cu.o))))
$(eval $(call program,curand_sweep,$(addprefix $(OBJ)/perf/,curand/curand_main.o rounds.o $(if $(NVCC),curand/curand_sweep.cu.o))))
$(eval $(call program,energy,$(OBJ)/perf/energy.o,-ldl))

$(eval $(call program,exchange_volume,$(addprefix $(OBJ)/perf/,exchange_volume.o rounds.o)))

# The unit of the ratios is defined at -O2.
$(eval $(call way,ratios,$$(CC) $$(ALL_CPPFLAGS) $$(C11) -O2 -g -ffp-contract=off,$(RATIOS)))

# PROFILE=quick|paper|table1|table2, DEVICE=auto|cpu|cuda:N
bench: bench-programs
	@perf/paising-bench measure --profile $(or $(PROFILE),quick) --device $(or $(DEVICE),auto)

# The status of make is 2 where that of the gate is 1.
bench-check: bench-programs
	@perf/paising-bench gate --device $(or $(DEVICE),auto)

# DEVICE=auto|cpu|cuda, RANKS=1,2,4 (as many as there are GPUs, or processors), MINUTES=9.5
scaling:
	@ci/setup.sh random123 zlib python3 mpi
	@$(MAKE) $(PARALLEL) all
	@perf/paising-bench scaling --device $(or $(DEVICE),auto) $(if $(RANKS),--ranks $(RANKS)) \
	  --minutes $(or $(MINUTES),9.5)

# What ranks exchange, counted on real copies, and a model of a step on many of them: a minute or two on two cores
ranks-model:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) $(BUILD)/exchange_volume
	@perf/paising-bench ranks-model

bench-programs:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) all $(addprefix $(BUILD)/,ceiling energy)

# PROFILE=quick|paper, or RESULTS=FOLDER. PAPER=001|002|003|004: the published tables beside ours, from committed results
RESULTS ?= $(BUILD)/bench/$(or $(PROFILE),quick)
PRINT_001 = validate/rng/rng.py paper 001 && echo && perf/vectors.py paper 001
PRINT_002 = perf/paising-bench paper perf/results/nvidia-h200
PRINT_003 = validate/rng/rng.py paper 003 && echo && perf/vectors.py paper 003
PRINT_004 = validate/helium/paper.py
tables:
	@ci/setup.sh python3
ifdef PAPER
	@$(or $(PRINT_$(PAPER)),echo 'PAPER=$(PAPER): 001 or 002 or 003 or 004' >&2; exit 2)
else
	@perf/paising-bench tables $(RESULTS)
endif

plots: tables
	@ci/setup.sh gnuplot
	@perf/paising-bench plots $(RESULTS)
	@$(foreach data,$(wildcard $(BUILD)/inflation/*/inflation.dat),\
	  validate/inflation/inflation.sh figures $(dir $(data));)

readme:
	@ci/setup.sh random123 zlib gnuplot python3
	@$(MAKE) $(PARALLEL) all
	@perf/paising-bench readme
	@validate/demo.sh readme

# SET=base|v3|v4
ratios: $(BUILD)/cpu_ratios
	@$(BUILD)/cpu_ratios $(SET)

# DEVICE=auto|cpu|cuda:N
ceiling: $(BUILD)/ceiling
	@$(BUILD)/ceiling -D $(or $(DEVICE),auto)

# The kernels of perf/climb from the simplest to a fast one, checked and timed; GPU=N
climb: $(BUILD)/climb
	@$(BUILD)/climb $(or $(GPU),0)

# Sweeps with generators of cuRAND, checked and timed; GPU=N
curand: $(BUILD)/curand_sweep
	@$(BUILD)/curand_sweep $(or $(GPU),0)

# The Heisenberg model: times of this machine beside published ones; DEVICE=cuda|cpu
vectors:
	@ci/setup.sh python3
	@$(MAKE) $(PARALLEL) $(BUILD)/paising $(BUILD)/ceiling
	@perf/vectors.py measure $(or $(DEVICE),cuda)

# DEVICE=auto|cuda:N
profile:
	@ci/setup.sh python3
	@$(MAKE) $(PARALLEL) all
	@perf/paising-bench profile --device $(or $(DEVICE),auto)

.PHONY: bench bench-check scaling ranks-model bench-programs tables plots readme ratios ceiling climb curand vectors profile
