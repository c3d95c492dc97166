# paising: population annealing of the 2D Ising model.
#   make          builds what it can: build/paising, build/exact, build/compare
#   make everything  the harnesses and the tests too
#   make demo     sets up what it needs, anneals, compares with the exact solution, draws pictures
#   make check    sets up what it needs and runs the whole test suite
#   make validate sets up what it needs and holds every engine against exact results
#   make identity the same bits on CPU and GPU over a random grid of parameters
#   make inflation  how far the modes of MSC inflate statistical errors: Table 1, Fig. 2 of the paper
#                 (what these three say of PROFILE=, DEVICE=, CASES=, SEED= is described in validate/)
#   make rng      the quality of the random numbers: BATTERY=smallcrush|crush|bigcrush (validate/rng/)
#   make bench    measures t_SF at the points of the paper's tables (perf/)
#   make tables   makes the paper's five tables of what was measured, ours beside theirs (perf/)
#   make plots    draws Figs. 2 and 3 and the roofline of what was measured
#   make bench-check  the regression gate: is anything slower than it was? (perf/)
#   make readme   writes the tables of perf/results/ into the READMEs, and draws their pictures
#   make ratios   how fast the CPU engines are on this machine (perf/)
#   make ceiling  what the device can do at most (perf/)
#   make profile  hardware counters of the GPU's kernels, by Nsight Compute and Systems (perf/)
#   make sanitize the CUDA engines under compute-sanitizer (ci/)
#   make sanitize-cpu  the test suite under sanitizers of addresses, leaks and undefined behaviour
#   make fuzz     random input to the readers of options and files, RUNS=100000 a reader

BUILD := build
OBJ   := $(BUILD)/obj
ifeq ($(origin CC),default)
CC := gcc
endif

# Bit-identical results want floating point as written: no contraction, no per-CPU variants.
CFLAGS   ?= -O3 -g
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -fopenmp -ffp-contract=off \
             -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(CFLAGS)
# .deps/include, .deps/lib: headers and libraries carried along, for machines without a package
# manager.
ALL_CPPFLAGS = -Ipaising -I. -isystem .deps/include $(CPPFLAGS)
LDLIBS   += -L.deps/lib -lz -lm

# With nvcc the CUDA engines are built too: for the GPU that is there, or else for sm_90 with PTX for
# newer ones; CUDA_ARCH=all builds for every architecture from sm_75 on.
NVCC      := $(shell command -v nvcc 2>/dev/null)
CUDA_ARCH ?= $(if $(shell nvidia-smi -L 2>/dev/null),native,sm_90)
ifeq ($(CUDA_ARCH),all)
CUDA_TARGETS := $(foreach a,75 80 86 89 90,-gencode arch=compute_$(a),code=sm_$(a)) \
                -gencode arch=compute_90,code=compute_90
else
CUDA_TARGETS := -arch=$(CUDA_ARCH)
endif
# Where nvcc can, it compiles the kernels of a file in parallel.
NVCC_SPLIT   := $(if $(NVCC),$(if $(shell $(NVCC) --help | grep -e --split-compile),-split-compile=0))
NVCCFLAGS    ?= -O3 -lineinfo $(NVCC_SPLIT)
ALL_NVCCFLAGS = -std=c++17 $(CUDA_TARGETS) -Ipaising -I. $(NVCCFLAGS)

# The vectorised kernels are compiled once for each instruction set; the program picks the widest
# that the processor has.
KERNELS  := $(addprefix paising/cpu/,msc_sweep.c msc_independent.c msc_gather.c msc_measure.c \
              msc_pack.c msc_kernels.c)
VARIANTS := base $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),v3 v4)
FLAGS_v3 := -march=x86-64-v3
FLAGS_v4 := -march=x86-64-v4 -mprefer-vector-width=512

MAINS    := paising/main.c reference/exact_main.c
SOURCES  := $(filter-out $(MAINS) $(KERNELS),$(wildcard paising/*.c paising/*/*.c reference/*.c))
OBJECTS  := $(SOURCES:%.c=$(OBJ)/%.o) \
            $(foreach v,$(VARIANTS),$(KERNELS:%.c=$(OBJ)/%.$(v).o))
ifneq ($(NVCC),)
OBJECTS  += $(patsubst %.cu,$(OBJ)/%.cu.o,$(wildcard paising/*/*.cu))
CPPFLAGS += -DPAISING_CUDA
LDLIBS   += -L$(dir $(realpath $(NVCC)))../lib64 -lcudart_static -ldl -lrt -lpthread -lstdc++
endif
PROGRAMS := $(BUILD)/paising $(BUILD)/exact $(BUILD)/compare
HARNESSES := $(addprefix $(BUILD)/,cpu_ratios ceiling energy planes validate inflation_table identity)
# The objects of a folder.
objects_of = $(patsubst %.c,$(OBJ)/%.o,$(wildcard $(1)/*.c))
# What the comparisons of engines share.
IDENTITY := $(filter-out %/main.o,$(call objects_of,validate/identity))
TESTS    := $(patsubst validate/unit/%.c,$(BUILD)/%,$(wildcard validate/unit/test_*.c))

all: $(PROGRAMS)
ifeq ($(NVCC),)
	@echo 'nvcc is not there: built without CUDA, for the CPU'
endif

everything: all $(HARNESSES) $(TESTS)

$(BUILD)/paising: $(OBJ)/paising/main.o
$(BUILD)/exact: $(OBJ)/reference/exact_main.o
$(BUILD)/compare: $(OBJ)/validate/compare.o $(OBJ)/validate/lib/result_file.o
$(BUILD)/cpu_ratios: $(OBJ)/perf/cpu_ratios.o $(OBJ)/perf/rounds.o
$(BUILD)/ceiling: $(OBJ)/perf/ceiling_main.o $(OBJ)/perf/rounds.o \
                  $(if $(NVCC),$(OBJ)/perf/ceiling.cu.o)
$(BUILD)/energy: $(OBJ)/perf/energy.o
$(BUILD)/energy: LDLIBS += -ldl
$(BUILD)/planes: $(OBJ)/perf/planes.o
$(BUILD)/validate: $(call objects_of,validate/physics)
$(BUILD)/inflation_table: $(call objects_of,validate/inflation) $(OBJ)/validate/lib/result_file.o
$(BUILD)/identity: $(call objects_of,validate/identity)
$(PROGRAMS) $(HARNESSES): $(BUILD)/libpaising.a
	$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/libpaising.a $(LDLIBS)

STREAMS_UNDER_TEST := $(patsubst %,$(OBJ)/validate/rng/%_streams.o,counted strip control) \
                      $(OBJ)/validate/rng/streams_under_test.o
$(BUILD)/rng_streams: $(OBJ)/validate/rng/list_streams.o
$(BUILD)/rng_battery: $(OBJ)/validate/rng/battery.o
$(BUILD)/rng_battery: RNG_LIBS = -ltestu01 -ltestu01probdist -ltestu01mylib
$(BUILD)/rng_streams $(BUILD)/rng_battery: $(STREAMS_UNDER_TEST) $(OBJ)/paising/engine/bernoulli.o \
                                           $(OBJ)/paising/base/message.o
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(RNG_LIBS) -lm

$(BUILD)/rng_ising: $(OBJ)/validate/rng/ising.o $(OBJ)/validate/rng/ising_controls.o \
                    $(BUILD)/libpaising.a
	$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/libpaising.a: $(OBJECTS)
	@rm -f $@
	ar rcs $@ $^

$(OBJ)/%.o: %.c | random123 $(OBJ)/zlib
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/%.cu.o: %.cu
	@mkdir -p $(@D)
	$(NVCC) $(ALL_NVCCFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

define VARIANT_RULE
$(OBJ)/%.$(1).o: %.c | random123 $(OBJ)/zlib
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CPPFLAGS) $$(ALL_CFLAGS) $$(FLAGS_$(1)) -DMSC_VARIANT=$(1) \
	  -DMSC_VARIANT_NAME='"$(1)"' -MMD -MP -c -o $$@ $$<
endef
$(foreach v,$(VARIANTS),$(eval $(call VARIANT_RULE,$(v))))

# The unit of the ratios is defined at -O2.
$(OBJ)/perf/cpu_ratios.o $(OBJ)/perf/rounds.o: CFLAGS = -O2 -g

# Results name the commit; the file changes only when the commit does.
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@git describe --always --dirty 2>/dev/null >$@.new || echo unknown >$@.new
	@cmp -s $@.new $@ || cp $@.new $@; rm $@.new
$(OBJ)/paising/base/commit.o: ALL_CPPFLAGS += -DPAISING_COMMIT='"$(shell cat $(BUILD)/commit)"'
$(OBJ)/paising/base/commit.o: $(BUILD)/commit

# The libraries that every build needs: random numbers, header only, and checksums.
random123:
	@echo '#include <Random123/philox.h>' | $(CC) $(ALL_CPPFLAGS) -E -x c - >/dev/null 2>&1 || \
	  { echo 'Random123 is missing; please type: sudo apt-get install librandom123-dev' >&2; exit 1; }
$(OBJ)/zlib:
	@mkdir -p $(@D)
	@printf '#include <zlib.h>\nint main(void) { return !zlibVersion(); }\n' | \
	  $(CC) $(ALL_CPPFLAGS) -x c - -o $@ -L.deps/lib -lz >/dev/null 2>&1 || \
	  { echo 'zlib is missing; please type: sudo apt-get install zlib1g-dev' >&2; exit 1; }

$(BUILD)/test_result_file: $(OBJ)/validate/lib/result_file.o
$(BUILD)/test_inflation: $(addprefix $(OBJ)/validate/inflation/,spread.o claims.o)
$(BUILD)/test_rng_streams $(BUILD)/test_rng_names: $(STREAMS_UNDER_TEST)
$(BUILD)/test_%: $(OBJ)/validate/unit/test_%.o $(BUILD)/libpaising.a
	$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/libpaising.a -lcmocka $(LDLIBS)
$(BUILD)/test_identity $(BUILD)/test_identity_control: $(IDENTITY)

# Makes calls of the C library fail on demand; to be preloaded, by tests.
$(BUILD)/fault.so: $(addprefix validate/faults/,fault.c fault_libc.c fault.h)
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(filter-out -fsanitize%,$(ALL_CFLAGS)) -fPIC -shared -o $@ $(filter %.c,$^) -ldl

# The same for calls of the CUDA runtime, which is linked in: a second program, for tests.
ifneq ($(NVCC),)
WRAPPED := $(shell grep -o '__wrap_[A-Za-z_]*' validate/faults/fault_cuda.c | sed 's/__wrap_//' | sort -u)
FAULTY  := $(BUILD)/paising_faulty
$(OBJ)/validate/faults/fault_cuda.o: CPPFLAGS += -isystem $(dir $(realpath $(NVCC)))../include
$(FAULTY): $(addprefix $(OBJ)/,paising/main.o validate/faults/fault.o validate/faults/fault_cuda.o) \
           $(BUILD)/libpaising.a
	$(CC) $(ALL_CFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $^ $(LDLIBS)
endif

demo:
	@ci/setup.sh random123 zlib gnuplot
	@$(MAKE) --no-print-directory -j$(shell nproc) all
	@validate/demo.sh

check:
	@ci/setup.sh random123 zlib cmocka
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(TESTS) $(BUILD)/fault.so $(FAULTY) \
	  $(if $(SANITIZED),,$(BUILD)/planes rng-battery)
	@BUILD=$(BUILD) validate/check.sh $(TESTS)

validate:
	@ci/setup.sh random123 zlib gnuplot
	@$(MAKE) --no-print-directory -j$(shell nproc) $(BUILD)/validate
	@validate/physics/validate.sh

identity:
	@ci/setup.sh random123 zlib
	@$(MAKE) --no-print-directory -j$(shell nproc) $(BUILD)/paising $(BUILD)/identity
	@validate/identity.sh

inflation:
	@ci/setup.sh random123 zlib gnuplot
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(BUILD)/inflation_table
	@validate/inflation/inflation.sh

# The whole suite under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, without CUDA.
SANITIZERS  := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
sanitize-cpu:
	@SANITIZED=yes $(MAKE) --no-print-directory check BUILD=build/sanitize NVCC= \
	  CFLAGS='-O1 -g $(SANITIZERS)'

# Fuzz targets are compiled by clang with sanitizers, all their sources in one command.
FUZZ_CC      ?= clang
FUZZ_TARGETS := $(patsubst validate/fuzz/fuzz_%.c,%,$(wildcard validate/fuzz/fuzz_*.c))
# The program without its engines.
FUZZ_options     := $(filter-out paising/device/% paising/cpu/% paising/cuda/% paising/command/dry_run.c,\
                      $(wildcard paising/*/*.c)) -DPAISING_COMMIT='"none"'
FUZZ_checkpoint  := $(FUZZ_options)
FUZZ_result_file := validate/lib/result_file.c paising/base/message.c
$(BUILD)/fuzz/%: validate/fuzz/fuzz_%.c FORCE
	@mkdir -p $(@D)
	$(FUZZ_CC) -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -fsanitize=fuzzer,address,undefined \
	  -fno-sanitize-recover=all $(ALL_CPPFLAGS) -o $@ $< $(FUZZ_$*) -L.deps/lib -lz -lm

RUNS ?= 100000
fuzz:
	@ci/setup.sh clang
	@$(MAKE) --no-print-directory $(addprefix $(BUILD)/fuzz/,$(FUZZ_TARGETS))
	@validate/fuzz/fuzz.sh $(BUILD)/fuzz $(RUNS) $(FUZZ_TARGETS)

# PROFILE=quick|paper, DEVICE=auto|cpu|cuda:N
bench: bench-programs
	@perf/bench.sh --profile $(or $(PROFILE),quick) --device $(or $(DEVICE),auto)

bench-check: bench-programs
	@perf/gate.sh --device $(or $(DEVICE),auto)

bench-programs:
	@ci/setup.sh random123 zlib
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(addprefix $(BUILD)/,ceiling energy planes)

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

# Without TestU01 there is no rng_battery, and who would run it says that it is skipped.
rng-battery: $(BUILD)/rng_streams
	@if ci/setup.sh testu01; then $(MAKE) --no-print-directory $(BUILD)/rng_battery; \
	 else rm -f $(BUILD)/rng_battery; fi

BATTERY ?= smallcrush
rng:
	@ci/setup.sh random123 zlib
	@$(MAKE) --no-print-directory -j$(shell nproc) rng-battery $(BUILD)/rng_ising
	@status=0; validate/rng/rng.sh $(BATTERY) $(STREAMS) || status=1; \
	 validate/rng/ising.sh $(or $(PROFILE),quick) || status=1; exit $$status

# What the logs of make rng say, as a table.
rng-table: $(BUILD)/rng_streams $(BUILD)/rng_ising
	@validate/rng/table.sh

ratios: $(BUILD)/cpu_ratios
	@$(BUILD)/cpu_ratios

# DEVICE=auto|cpu|cuda:N
ceiling: $(BUILD)/ceiling
	@$(BUILD)/ceiling -D $(or $(DEVICE),auto)

# DEVICE=auto|cuda:N
profile:
	@$(MAKE) --no-print-directory -j$(shell nproc) all
	@perf/profile.sh

# DEVICE=auto|cuda:N
sanitize:
	@$(MAKE) --no-print-directory -j$(shell nproc) all
	@ci/sanitize.sh

clean:
	rm -rf $(BUILD)

FORCE:
-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

.PHONY: all everything demo check validate identity inflation rng rng-battery rng-table bench \
        bench-check bench-programs tables plots readme ratios ceiling profile sanitize \
        sanitize-cpu fuzz clean random123 FORCE
.SECONDARY:
