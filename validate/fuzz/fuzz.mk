# Fuzz targets are compiled by clang with sanitizers, all their sources in one command.
FUZZ_CC      ?= clang
FUZZ_TARGETS := $(patsubst validate/fuzz/fuzz_%.c,%,$(wildcard validate/fuzz/fuzz_*.c))
# What says that something is wrong.
FUZZ_MESSAGES := caller.c message.c signals.c work_clock.c
# The program without its engines, and with one rank.
FUZZ_options     := $(filter-out paising/device/% paising/helium/% paising/library/% paising/examples/% paising/cpu/% paising/cuda/% paising/ranks/% \
                      $(addprefix paising/,command/dry_run.c command/plan.c method/sample_maker.c \
                                             method/samples.c method/sample_bins.c method/series_samples.c method/tempering.c method/execution.c \
                                             method/ground_samples.c method/ground_simulation.c method/method.c),\
                      $(wildcard paising/*/*.c paising/*/*/*.c)) paising/ranks/alone.c -DPAISING_COMMIT='"none"'
FUZZ_checkpoint  := $(FUZZ_options)
FUZZ_result_file := validate/lib/result_file.c $(addprefix paising/base/,checked_text.c $(FUZZ_MESSAGES) text_line.c)
FUZZ_compare     := $(addprefix validate/lib/,comparison.c student.c) reference/exact.c \
                    $(wildcard paising/model/*.c) $(addprefix paising/base/,input_file.c line_file.c number.c) \
                    $(FUZZ_result_file)
FUZZ_profile     := paising/resample/profile.c $(addprefix paising/base/,input_file.c line_file.c $(FUZZ_MESSAGES) number.c text_line.c)
FUZZ_helium      := paising/helium/options.c $(addprefix paising/base/,input_file.c line_file.c $(FUZZ_MESSAGES) number.c text_line.c usage.c)
FUZZ_couplings   := $(wildcard paising/model/couplings*.c paising/model/bond_*.c) paising/model/lattice_fit.c \
                    $(addprefix paising/base/,input_file.c line_file.c $(FUZZ_MESSAGES) number.c text_line.c)
$(BUILD)/fuzz/%: validate/fuzz/fuzz_%.c FORCE
	@mkdir -p $(@D)
	$(FUZZ_CC) -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -fsanitize=fuzzer,address,undefined \
	  -fno-sanitize-recover=all $(ALL_CPPFLAGS) -o $@ $< $(FUZZ_$*) -L.deps/lib -lz -lm

# The same of objects that are there anyway, with a main of their own, for test_fuzz.sh.
define replay
command_replay_$(1) = $$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $(BUILD)/replay/$(1) $(2) -L.deps/lib -lz -lm
$(BUILD)/replay/$(1): $(2) $(BUILD)/commands/replay_$(1)
	@mkdir -p $$(@D)
	$$(command_replay_$(1))
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call replay,$(t),\
  $(patsubst %.c,$(OBJ)/%.o,validate/fuzz/fuzz_$(t).c validate/fuzz/replay.c $(filter %.c,$(FUZZ_$(t)))))))
HARNESSES += $(addprefix replay/,$(FUZZ_TARGETS))

RUNS ?= 100000
fuzz:
	@ci/setup.sh clang random123 zlib
	@$(MAKE) $(BUILD)/paising $(addprefix $(BUILD)/fuzz/,$(FUZZ_TARGETS))
	@validate/fuzz/fuzz.sh $(BUILD)/fuzz $(BUILD)/paising $(RUNS) $(FUZZ_TARGETS)

.PHONY: fuzz
