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
SOURCES  := $(filter-out $(MAINS),$(wildcard paising/*.c reference/*.c))
OBJECTS  := $(SOURCES:%.c=$(BUILD)/%.o)
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

$(BUILD)/validate/test_%: $(BUILD)/validate/test_%.o $(BUILD)/libpaising.a
	$(CC) $(CFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

.PHONY: all clean
.SECONDARY:
