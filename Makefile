# paising: population annealing of the 2D Ising model.
#   make          builds what it can: build/paising, build/exact, build/compare
#   make demo     sets up what it needs, anneals, compares with the exact solution, draws pictures
#   make check    sets up what it needs and runs the whole test suite
#   make validate sets up what it needs and holds every engine against exact results
#   make inflation  how far the modes of MSC inflate statistical errors: Table 1, Fig. 2 of the paper
#                 (both, and what they say of PROFILE= and DEVICE=, are described in validate/)
#   make ratios   how fast the CPU engines are on this machine (perf/)

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
ALL_CPPFLAGS = -Ipaising -Ireference -Ivalidate -isystem .deps/include $(CPPFLAGS)
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
ALL_NVCCFLAGS = -std=c++17 $(CUDA_TARGETS) -Ipaising -Ireference $(NVCCFLAGS)

# The vectorised kernels are compiled once for each instruction set; the program picks the widest
# that the processor has.
KERNELS  := $(addprefix reference/,msc_sweep.c msc_independent.c msc_gather.c msc_measure.c \
              msc_pack.c msc_kernels.c)
VARIANTS := base $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),v3 v4)
FLAGS_v3 := -march=x86-64-v3
FLAGS_v4 := -march=x86-64-v4 -mprefer-vector-width=512

MAINS    := paising/main.c reference/exact_main.c
SOURCES  := $(filter-out $(MAINS) $(KERNELS),$(wildcard paising/*.c reference/*.c))
OBJECTS  := $(SOURCES:%.c=$(OBJ)/%.o) \
            $(foreach v,$(VARIANTS),$(KERNELS:%.c=$(OBJ)/%.$(v).o))
ifneq ($(NVCC),)
OBJECTS  += $(patsubst %.cu,$(OBJ)/%.cu.o,$(wildcard paising/*.cu))
CPPFLAGS += -DPAISING_CUDA
LDLIBS   += -L$(dir $(realpath $(NVCC)))../lib64 -lcudart_static -ldl -lrt -lpthread -lstdc++
endif
PROGRAMS := $(BUILD)/paising $(BUILD)/exact $(BUILD)/compare
HARNESSES := $(BUILD)/cpu_ratios $(BUILD)/validate $(BUILD)/inflation_table
# The objects of a folder.
objects_of = $(patsubst %.c,$(OBJ)/%.o,$(wildcard $(1)/*.c))
TESTS    := $(patsubst validate/%.c,$(BUILD)/%,$(wildcard validate/test_*.c))

all: $(PROGRAMS)
ifeq ($(NVCC),)
	@echo 'nvcc is not there: built without CUDA, for the CPU'
endif

$(BUILD)/paising: $(OBJ)/paising/main.o
$(BUILD)/exact: $(OBJ)/reference/exact_main.o
$(BUILD)/compare: $(OBJ)/validate/compare.o $(OBJ)/validate/result_file.o
$(BUILD)/cpu_ratios: $(OBJ)/perf/cpu_ratios.o
$(BUILD)/validate: $(call objects_of,validate/physics)
$(BUILD)/inflation_table: $(call objects_of,validate/inflation) $(OBJ)/validate/result_file.o
$(PROGRAMS) $(HARNESSES): $(BUILD)/libpaising.a
	$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/libpaising.a $(LDLIBS)

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
$(OBJ)/perf/cpu_ratios.o: CFLAGS = -O2 -g

# Results name the commit; the file changes only when the commit does.
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@git describe --always --dirty 2>/dev/null >$@.new || echo unknown >$@.new
	@cmp -s $@.new $@ || cp $@.new $@; rm $@.new
$(OBJ)/paising/commit.o: ALL_CPPFLAGS += -DPAISING_COMMIT='"$(shell cat $(BUILD)/commit)"'
$(OBJ)/paising/commit.o: $(BUILD)/commit

# The libraries that every build needs: random numbers, header only, and checksums.
random123:
	@echo '#include <Random123/philox.h>' | $(CC) $(ALL_CPPFLAGS) -E -x c - >/dev/null 2>&1 || \
	  { echo 'Random123 is missing; please type: sudo apt-get install librandom123-dev' >&2; exit 1; }
$(OBJ)/zlib:
	@mkdir -p $(@D)
	@printf '#include <zlib.h>\nint main(void) { return !zlibVersion(); }\n' | \
	  $(CC) $(ALL_CPPFLAGS) -x c - -o $@ -L.deps/lib -lz >/dev/null 2>&1 || \
	  { echo 'zlib is missing; please type: sudo apt-get install zlib1g-dev' >&2; exit 1; }

$(BUILD)/test_result_file: $(OBJ)/validate/result_file.o
$(BUILD)/test_inflation: $(addprefix $(OBJ)/validate/inflation/,spread.o claims.o)
$(BUILD)/test_%: $(OBJ)/validate/test_%.o $(BUILD)/libpaising.a
	$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/libpaising.a -lcmocka $(LDLIBS)

# Makes calls of the C library fail on demand; to be preloaded, by tests.
$(BUILD)/fault.so: $(addprefix validate/faults/,fault.c fault_libc.c fault.h)
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(filter-out -fsanitize%,$(ALL_CFLAGS)) -fPIC -shared -o $@ $(filter %.c,$^) -ldl

demo:
	@ci/setup.sh random123 zlib gnuplot
	@$(MAKE) --no-print-directory -j$(shell nproc) all
	@validate/demo.sh

check:
	@ci/setup.sh random123 zlib cmocka
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(TESTS) $(BUILD)/fault.so
	@BUILD=$(BUILD) validate/check.sh $(TESTS)

validate:
	@ci/setup.sh random123 zlib gnuplot
	@$(MAKE) --no-print-directory -j$(shell nproc) $(BUILD)/validate
	@validate/physics/validate.sh

inflation:
	@ci/setup.sh random123 zlib gnuplot
	@$(MAKE) --no-print-directory -j$(shell nproc) all $(BUILD)/inflation_table
	@validate/inflation/inflation.sh

ratios: $(BUILD)/cpu_ratios
	@$(BUILD)/cpu_ratios

clean:
	rm -rf $(BUILD)

FORCE:
-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

.PHONY: all demo check validate inflation ratios clean random123 FORCE
.SECONDARY:
