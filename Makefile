# paising: population annealing of the 2D Ising model. `make demo` and `make check` set up what they
# need; plain `make` builds what it can.

BUILD   := build
CC      := gcc
CFLAGS  := -std=c11 -O2 -g -Wall -Wextra -Wpedantic -Wshadow -Wconversion
# Bit-identical results want floating point as written: no contraction, no per-CPU variants.
CFLAGS  += -ffp-contract=off -fopenmp -D_GNU_SOURCE
CPPFLAGS = -I. -Ipaising -Ireference
# Headers carried along, for machines without a package manager.
CPPFLAGS += $(if $(wildcard .deps/include),-isystem .deps/include)
LDLIBS  := -lm

MAINS    := paising/main.c reference/exact_main.c
# The vectorised kernels are compiled once for each instruction set; the program picks the widest that
# the processor has.
KERNELS  := $(addprefix reference/,msc_sweep.c msc_independent.c msc_gather.c msc_measure.c \
              msc_kernels.c)
VARIANTS := base $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),v3 v4)
FLAGS_v3 := -march=x86-64-v3
FLAGS_v4 := -march=x86-64-v4 -mprefer-vector-width=512

SOURCES  := $(filter-out $(MAINS) $(KERNELS),$(wildcard paising/*.c reference/*.c))
OBJECTS  := $(SOURCES:%.c=$(BUILD)/%.o) \
            $(foreach v,$(VARIANTS),$(KERNELS:%.c=$(BUILD)/%.$(v).o))
TESTS    := $(patsubst %.c,$(BUILD)/%,$(wildcard validate/test_*.c))
PROGRAMS := $(BUILD)/paising $(BUILD)/exact

all: $(PROGRAMS)

$(BUILD)/paising: $(BUILD)/paising/main.o $(BUILD)/libpaising.a
$(BUILD)/exact: $(BUILD)/reference/exact_main.o $(BUILD)/libpaising.a
$(PROGRAMS):
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/libpaising.a: $(OBJECTS)
	rm -f $@ && ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

define VARIANT_RULE
$(BUILD)/%.$(1).o: %.c
	@mkdir -p $$(@D)
	$$(CC) $$(CPPFLAGS) $$(CFLAGS) -O3 $$(FLAGS_$(1)) -DMSC_VARIANT=$(1) \
	  -DMSC_VARIANT_NAME='"$(1)"' -MMD -MP -c -o $$@ $$<
endef
$(foreach v,$(VARIANTS),$(eval $(call VARIANT_RULE,$(v))))

$(BUILD)/validate/test_%: $(BUILD)/validate/test_%.o $(BUILD)/libpaising.a
	$(CC) $(CFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

.PHONY: all clean
.SECONDARY:
