# The tests, and the harnesses that hold results against exact ones.
TESTS     := $(patsubst validate/unit/%.c,%,$(wildcard validate/unit/test_*.c))
HARNESSES += validate inflation_table identity study_ideal study_limits
RESULT_FILE := $(OBJ)/validate/lib/result_file.o
COMPARISON  := $(addprefix $(OBJ)/validate/lib/,comparison.o student.o) $(RESULT_FILE)

$(eval $(call program,compare,$(OBJ)/validate/compare.o $(COMPARISON)))
$(eval $(call program,validate,$(call objects_of,validate/physics)))
$(eval $(call program,inflation_table,$(call objects_of,validate/inflation) $(RESULT_FILE)))
$(eval $(call program,study_ideal,$(addprefix $(OBJ)/validate/study/,ideal.o canonical.o ideal_engine.o)))
$(eval $(call program,study_limits,$(addprefix $(OBJ)/validate/study/,limits.o canonical.o branching.o)))
$(eval $(call program,identity,$(call objects_of,validate/identity)))

# What tests link besides their own object and the library.
IDENTITY := $(filter-out %/main.o,$(call objects_of,validate/identity))
with_test_streams          := $(if $(NVCC),$(OBJ)/validate/unit/philox_cuda.cu.o)
with_test_patterns         := $(if $(NVCC),$(OBJ)/validate/unit/patterns_cuda.cu.o)
with_test_alone            := $(OBJ)/paising/ranks/alone.o
with_test_result_file      := $(RESULT_FILE)
with_test_comparison       := $(COMPARISON)
with_test_student          := $(OBJ)/validate/lib/student.o
with_test_chain            := $(OBJ)/validate/lib/chain.o
with_test_other_model      := $(OBJ)/validate/lib/chain.o $(RESULT_FILE)
with_test_chain_checkpoint := $(OBJ)/validate/lib/chain.o
with_test_inflation        := $(addprefix $(OBJ)/validate/inflation/,spread.o claims.o)
with_test_study            := $(addprefix $(OBJ)/validate/study/,canonical.o branching.o ideal_engine.o)
with_test_rng_streams      := $(STREAMS_UNDER_TEST)
with_test_rng_orders       := $(STREAMS_UNDER_TEST)
with_test_rng_names        := $(STREAMS_UNDER_TEST)
with_test_rng_generators   := $(GENERATORS_OF_TABLE)
with_test_rng_external     := $(OBJ)/validate/rng/tiles.o $(filter-out $(EXTERNAL),$(STREAMS_UNDER_TEST))
with_test_rng_lags         := $(OBJ)/validate/rng/lags.o
with_test_rng_tiles        := $(addprefix $(OBJ)/validate/rng/,tiles.o weak_generator.o) $(filter-out $(EXTERNAL),$(GENERATORS_OF_TABLE))
with_test_ahead            := $(OBJ)/validate/lib/gpu_engine.o $(OBJ)/validate/identity/difference.o
with_test_helium           := $(filter-out %/main.o,$(HELIUM))
with_test_overlaps         := $(OBJ)/validate/lib/gpu_engine.o
with_test_graph            := $(OBJ)/validate/lib/gpu_engine.o $(OBJ)/validate/identity/difference.o
with_test_launch_batch       := $(OBJ)/validate/lib/gpu_engine.o $(OBJ)/validate/identity/difference.o
with_test_long_step        := $(OBJ)/validate/lib/gpu_engine.o $(OBJ)/validate/identity/difference.o
with_test_selection        := $(OBJ)/validate/lib/gpu_engine.o $(OBJ)/validate/identity/difference.o
with_test_vectors_gpu      := $(OBJ)/validate/lib/gpu_engine.o $(OBJ)/validate/identity/difference.o
with_test_stages           := $(OBJ)/validate/lib/gpu_engine.o
with_test_stripes          := $(OBJ)/validate/lib/gpu_engine.o
with_test_large            := $(OBJ)/validate/lib/gpu_engine.o
with_test_ranks            := $(OBJ)/validate/lib/rank_gpu.o $(SEVERAL_HOSTS)
with_test_rank_sums        := $(OBJ)/validate/lib/rank_gpu.o $(SEVERAL_HOSTS)
with_test_rank_groups      := $(OBJ)/validate/lib/rank_gpu.o $(SEVERAL_HOSTS)
with_test_rank_walks       := $(OBJ)/validate/lib/rank_gpu.o $(SEVERAL_HOSTS)
with_test_high_numbers     := $(OBJ)/validate/lib/gpu_engine.o
with_test_identity         := $(IDENTITY)
with_test_steps            := $(IDENTITY)
with_test_identity_control := $(IDENTITY)
# ... and libraries: MPFR, which exp and log are held against where it is there.
MPFR := $(firstword $(wildcard $(addsuffix /mpfr.h,.deps/include /usr/include /usr/local/include)))
$(eval $(call way,mpfr,$$(COMPILE) $(if $(MPFR),-DHAVE_MPFR),$(OBJ)/validate/unit/test_ieee_math.o))
libraries_test_ieee_math   := $(if $(MPFR),-lmpfr)
# ... and what stands before a function of the program.
libraries_test_plan        := -Wl,--wrap=engine_cpu_create
libraries_test_batch       := -Wl,--wrap=signals_pending
libraries_test_publication := $(foreach call,rename unlink rmdir fsync readdir,-Wl,--wrap=$(call))
$(foreach t,$(TESTS),\
  $(eval $(call program,$(t),$(OBJ)/validate/unit/$(t).o $(with_$(t)),-lcmocka $(libraries_$(t)))))

# They are compiled quickly, since most of their time is the library's; but for those that compute much themselves.
COMPUTE := $(addprefix test_,msc_streams update_rule)
$(patsubst %,$(OBJ)/validate/unit/%.o,$(filter-out $(COMPUTE),$(TESTS))): private CFLAGS += -O1

# Makes calls of the C library fail on demand; to be preloaded, by tests.
FAULT_SOURCES    := $(addprefix validate/faults/,fault.c fault_libc.c)
command_fault.so  = $(filter-out -fsanitize%,$(COMPILE)) -fPIC -shared \
                    -o $(BUILD)/fault.so $(FAULT_SOURCES) -ldl
$(BUILD)/fault.so: $(FAULT_SOURCES) validate/faults/fault.h $(BUILD)/commands/fault.so
	@mkdir -p $(@D)
	$(command_fault.so)

# The same for calls of the CUDA runtime, which is linked in: a second program, for tests.
ifneq ($(NVCC),)
FAULTY  := $(BUILD)/paising_faulty
FAULTS  := $(addprefix $(OBJ)/validate/faults/,fault.o fault_cuda.o)
WRAPPED := $(shell grep -o '__wrap_[A-Za-z_]\+' validate/faults/fault_cuda.c | sort -u)
$(eval $(call way,cuda_runtime,$$(COMPILE) -isystem $(CUDA_HOME)/include,$(lastword $(FAULTS))))
$(eval $(call program,paising_faulty,$(OBJ)/paising/main.o $(FAULTS),\
         $(WRAPPED:__wrap_%=-Wl,--wrap=%)))
endif

demo:
	@ci/setup.sh random123 zlib gnuplot
	@echo 'make: building what is not there (V=1 shows the commands)'
	@$(MAKE) $(PARALLEL) $(if $(filter 1,$(V)),,-s) all
	@validate/demo.sh

# The tests that are scripts, each a command line; those of WIDE_SCRIPTS use all cores by themselves. Some are not
# about memory, and too slow with sanitizers.
SCRIPTS     = 'validate/command/test_checkpoint.sh $(BUILD)/paising' \
              'validate/command/test_in_flight.sh $(BUILD)/paising' \
              'validate/command/test_samples.sh $(BUILD)/paising' \
              'validate/command/test_methods.sh $(BUILD)/paising' 'validate/command/test_files.py $(BUILD)' \
              'validate/command/test_graph.sh $(BUILD)/paising' \
              $(if $(SANITIZED),,'validate/command/test_ranks.sh $(BUILD)/paising') \
              'validate/command/test_command.sh $(BUILD)/paising' 'validate/command/test_large.sh $(BUILD)/paising' 'validate/command/test_plain.sh $(BUILD)' \
              'validate/command/test_help.sh $(BUILD)' 'validate/command/test_portable.sh $(BUILD)' 'validate/command/test_library.sh $(BUILD)' validate/command/test_docs.py 'validate/command/test_tutorials.py short' \
              'validate/faults/test_faults.sh $(BUILD)' 'validate/faults/test_cuda_faults.sh $(BUILD)' \
              'validate/faults/test_signals.sh $(BUILD)' 'validate/faults/test_order.sh $(BUILD)' 'validate/fuzz/test_fuzz.sh $(BUILD)' \
              $(if $(SANITIZED),,'validate/python/test_python.py $(BUILD)' 'validate/physics/test_validate.sh $(BUILD)' 'validate/physics/test_series.py $(BUILD)' 'validate/physics/test_states.py $(BUILD)' 'validate/physics/test_spins.py $(BUILD)' 'validate/physics/test_tempering.py $(BUILD)' 'validate/physics/test_flat.py $(BUILD)' 'validate/physics/test_flat_graphs.py $(BUILD)' 'validate/command/test_build.sh $(BUILD)/paising' \
              'validate/stress/memory.py --build $(BUILD)' \
              'validate/stress/stress.py --seed 1 --cases 48 --build $(BUILD)' \
              'perf/test_bench.py $(BUILD)/paising' perf/test_scaling.py perf/test_vectors.py '$(BUILD)/climb check' '$(BUILD)/curand_sweep check' 'perf/paising-bench readme --check' 'validate/demo.sh check' \
              ci/scripts.sh 'ci/sanitize.sh check' validate/command/test_sanitize.sh validate/command/test_setup.sh 'validate/command/test_house.py $(BUILD)' validate/command/test_readme.py validate/test_check.py \
              validate/glass/test_glass.py validate/wmk2015/test_wmk2015.py validate/ground/test_ground.py validate/lattice/test_lattice.py validate/vectors/test_critical.py validate/first_order/test_first_order.py validate/study/test_study.py validate/methods/test_studies.py validate/rng/test_battery.py validate/rng/test_multiplier.py 'validate/helium/test_helium.py $(BUILD)') validate/helium/test_paper.py
WIDE_SCRIPTS = 'validate/digests/digests.py check --short --paising $(BUILD)/paising' \
              $(if $(SANITIZED),,'validate/rng/rng.py check' 'validate/test_harnesses.py $(BUILD)')
# The unit tests but for the longest, which simulate much, start many ranks or take much memory: under a minute on two cores.
# `make check` runs all.
LONG := $(addprefix test_,ieee_math large low_temperature msc_streams ranks stream_overlaps thermodynamics update_rule vectors)
test:
	@ci/setup.sh random123 zlib cmocka python3 --optional mpfr mpi
	@$(MAKE) $(PARALLEL) $(patsubst %,$(BUILD)/%,$(filter-out $(LONG),$(TESTS)))
	@BUILD=$(BUILD) validate/check.py $(patsubst %,$(BUILD)/%,$(filter-out $(LONG),$(TESTS))) $(filter -j%,$(MAKEFLAGS))

check:
	@ci/setup.sh random123 zlib cmocka python3 --optional mpfr mpi testu01 gnuplot
	@$(MAKE) $(PARALLEL) everything $(BUILD)/fault.so $(FAULTY) \
	  $(if $(SANITIZED),,rng-battery)
	@BUILD=$(BUILD) validate/check.py $(SCRIPTS) $(WIDE_SCRIPTS) $(patsubst %,$(BUILD)/%,$(LONG) $(filter-out $(LONG),$(TESTS))) \
	  $(filter -j%,$(MAKEFLAGS))

validate:
	@ci/setup.sh random123 zlib gnuplot
	@$(MAKE) $(PARALLEL) $(BUILD)/validate
	@validate/physics/validate.sh

flat:
	@ci/setup.sh random123 zlib python3 gnuplot
	@$(MAKE) $(PARALLEL) $(BUILD)/paising $(BUILD)/exact
	@validate/physics/flat.py

ceilings:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) $(BUILD)/paising $(BUILD)/exact
	@validate/physics/ceilings.py

tutorials:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) $(PROGRAMS)
	@BUILD=$(BUILD) validate/command/test_tutorials.py

identity:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) $(BUILD)/paising $(BUILD)/identity
	@validate/identity/identity.py

stress:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) $(BUILD)/paising $(BUILD)/compare $(BUILD)/fault.so
	@validate/stress/stress.py --build $(BUILD) --minutes $(or $(MINUTES),5) $(if $(SEED),--seed $(SEED))

inflation:
	@ci/setup.sh random123 zlib gnuplot
	@$(MAKE) $(PARALLEL) all $(BUILD)/inflation_table
	@validate/inflation/inflation.sh

glass:
	@ci/setup.sh random123 zlib python3 gnuplot
	@$(MAKE) $(PARALLEL) $(BUILD)/paising
	@validate/glass/glass.py

wmk2015:
	@ci/setup.sh random123 zlib python3 gnuplot
	@$(MAKE) $(PARALLEL) $(BUILD)/paising
	@validate/wmk2015/wmk2015.py

ground-states:
	@ci/setup.sh random123 zlib python3 gnuplot
	@$(MAKE) $(PARALLEL) $(BUILD)/paising $(BUILD)/exact
	@validate/ground/ground.py

lattice:
	@ci/setup.sh random123 zlib python3 gnuplot
	@$(MAKE) $(PARALLEL) $(BUILD)/paising
	@validate/lattice/lattice.py

first-order:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) $(BUILD)/paising
	@validate/first_order/first_order.py
	@validate/first_order/tricritical.py $(BUILD)/paising

helium:
	@ci/setup.sh random123 zlib python3 gnuplot
	@$(MAKE) $(PARALLEL) $(BUILD)/paising-helium
	@validate/helium/helium.py

study:
	@ci/setup.sh random123 zlib python3 gnuplot
	@$(MAKE) $(PARALLEL) $(BUILD)/paising $(BUILD)/exact $(BUILD)/study_ideal $(BUILD)/study_limits
	@validate/study/study.py

compare-methods:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) $(BUILD)/paising $(BUILD)/exact $(BUILD)/energy
	@BUILD=$(BUILD) validate/methods/compare_methods.py

vectors-critical:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) $(BUILD)/paising
	@BUILD=$(BUILD) validate/vectors/critical.py

critical:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) $(BUILD)/paising
	@BUILD=$(BUILD) validate/methods/critical.py

# 4 x 4 x 4: SAMPLES=K, a hundred without it; half a minute each.
tempering-exact:
	@ci/setup.sh random123 zlib python3
	@$(MAKE) $(PARALLEL) $(BUILD)/paising $(BUILD)/exact
	@validate/physics/test_tempering.py $(BUILD) --long $(or $(SAMPLES),100)

.PHONY: demo test check flat ceilings tutorials validate identity stress inflation glass wmk2015 ground-states helium lattice first-order study compare-methods critical vectors-critical \
        tempering-exact
