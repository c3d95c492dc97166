# paising: population annealing of Ising models and spin glasses.
#   make          builds what it can: build/paising, build/paising-helium, build/exact, build/compare and the plain references
#   make everything  the harnesses and the tests too
#   make demo     sets up what it needs, anneals, compares with the exact solution, draws pictures (V=1: shows the compiler)
#   make test     sets up what it needs and runs the unit tests that are quick, in a minute
#   make check    sets up what it needs and runs the whole test suite, unit tests and scripts
#   make tutorials  runs the tutorials, and compares with what their page says (needs numpy)
#   make validate sets up what it needs and holds every engine against exact results
#   make identity the same bits on CPU and GPU over a random grid of parameters
#   make inflation  how far the modes of MSC inflate statistical errors: Table 1, Fig. 2 of the paper
#                 (what these say of PROFILE=, DEVICE=, CASES=, SEED= is described in validate/)
#   make glass    where the 3D spin glass freezes: crossings of U4 and xi/L (validate/glass/)
#   make wmk2015  families, ground states and overlaps of the Gaussian glass (validate/wmk2015/)
#   make ground-states   its lowest energies, and those of public instances (validate/ground/)
#   make compare-methods critical tempering-exact   annealing beside tempering; T_c of the 3D glass by both; exact values (validate/methods/)
#   make lattice  one large lattice by orders of sites and by clusters: autocorrelations, speed (validate/lattice/)
#   make first-order  methods at first-order transitions of Potts models; a tricritical point (validate/first_order/)
#   make flat     numbers of states by flat histograms: errors, speed against walkers, time to an error (validate/physics/)
#   make ceilings  microcanonical annealing of 40 x 40 beside sums published of MCPA (validate/physics/)
#   make helium   variational Monte Carlo of liquid helium: the paper's run, times, oracles (validate/helium/)
#   make study    resampling rules, schedules and population sizes: figures and verdicts (validate/study/)
#   make stress   random kills, rivals, full disks and spoilt files: MINUTES=5 SEED= (validate/)
#   make rng      the quality of the random numbers: BATTERY=smallcrush|crush|bigcrush (validate/rng/); GENERATOR=my.c: of your own
#   make rng-table  the tables of validate/rng/results/ from the logs
#   make rng-tiles  the Ising test of generators at the published precision: SECONDS=, DEVICE=cpu (validate/rng/)
#   make bench    measures t_SF at the points of the paper's tables (perf/)
#   make tables   makes the paper's five tables of what was measured, ours beside theirs (perf/); PAPER=001|002|003|004
#                 prints published tables beside the committed results
#   make plots    draws Figs. 2 and 3 and the roofline of what was measured
#   make scaling  one population on several GPUs, weak and strong scaling: RANKS=1,2,4 (perf/)
#   make ranks-model  what a step takes on many ranks: a model, and a simulation of what they exchange (perf/)
#   make bench-check  the regression gate: is anything slower than it was? (perf/)
#   make readme   writes the tables of perf/results/ and of the demo into their pages, and draws their pictures
#   make ratios   how fast the CPU engines are on this machine (perf/)
#   make ceiling  what the device can do at most (perf/)
#   make climb    kernels from the simplest to a fast one, checked and timed (perf/climb/)
#   make curand   single-spin coded sweeps with generators of cuRAND, checked and timed (perf/curand/)
#   make vectors-critical  where XY and Heisenberg models become ordered: T_KT by the stiffness, beta_c by U4 (validate/vectors/)
#   make vectors  times of the Heisenberg model beside published ones (perf/)
#   make profile  hardware counters of the GPU's kernels, by Nsight Compute and Systems (perf/)
#   make sanitize the CUDA engines under compute-sanitizer (ci/)
#   make sanitize-cpu  the test suite under sanitizers of addresses, leaks and undefined behaviour
#   make fuzz     random input to the readers of options and files, RUNS=100000 a reader
#   make install  PREFIX=/usr/local DESTDIR=: programs, library, manual pages, guide, shell completion, baselines; make uninstall
#   make wheel    build/paising-VERSION-....whl: the Python package with the library, for pip (paising/python/)
#   make dist     build/paising-VERSION.tar.gz, of what is committed
#   make clean    removes what was built
# A fragment beside the sources says what is made of them: paising/paising.mk and so on.

BUILD := build
OBJ   := $(BUILD)/obj
ifeq ($(origin CC),default)
CC := gcc
endif
MAKEFLAGS += --no-print-directory

# Bit-identical results want floating point as written: whatever CFLAGS say, no contraction. What else
# would change them, paising/base/ieee_math.h refuses, or the program itself (paising/base/ieee_rules.h).
CFLAGS   ?= -O3 -g1
C11       = -std=c11 -D_GNU_SOURCE -fopenmp \
            -Wall -Wextra -Wpedantic -Wshadow -Wconversion
# All may become part of the shared library (paising/library/symbols.map says what is seen of it).
ALL_CFLAGS = $(C11) $(CFLAGS) -ffp-contract=off -fPIC
# .deps/include, .deps/lib: headers and libraries carried along, for machines without a package
# manager.
ALL_CPPFLAGS = -Ipaising -I. -isystem .deps/include $(CPPFLAGS)
ALL_LDLIBS   = $(LDLIBS) -L.deps/lib -lz -lm $(CUDA_LDLIBS) $(MPI_LDLIBS)
COMPILE      = $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)

# The CUDA engines are built where nvcc is.
NVCC := $(shell command -v nvcc 2>/dev/null)

# For targets that install packages before they build: all cores, unless the user's -j says how many.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

# A value that costs a question is asked for when it is wanted, and once: $(call once,NAME,VALUE).
once = $(eval $(1) := $(2))$($(1))

# The objects of a folder.
objects_of = $(patsubst %.c,$(OBJ)/%.o,$(wildcard $(1)/*.c))

# Whatever is made by a command_NAME depends on commands/NAME, a file that changes only when the
# command does: another flag, another compiler, another set of objects. AS_BUILT=yes: what stands there is right.
same     = $(and $(findstring $(1),$(2)),$(findstring $(2),$(1)))
recorded = $(if $(wildcard $(1)),$(shell cat $(1)))
.SECONDEXPANSION:
$(BUILD)/commands/%: $$(if $$(or $$(AS_BUILT),$$(call same,$$(call recorded,$$@),$$(command_$$*))),,FORCE)
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(command_$*))' >$@

# A way to compile C: its name, the command, and the objects that it is for (all others, if none are
# named), with what their names end in before .o.
define way
command_$(1) = $(2)
$(if $(3),$(3): )$(OBJ)/%$(4).o: %.c $(BUILD)/commands/$(1) | $(BUILD)/has/random123 $(BUILD)/has/zlib
	@mkdir -p $$(@D)
	$$(command_$(1)) -MMD -MP -c -o $$@ $$<
endef
$(eval $(call way,c,$$(COMPILE)))

# A program: its name, its objects besides those of the library, and libraries for it alone.
define program
command_$(1) = $$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $(BUILD)/$(1) \
               $(2) $(BUILD)/libpaising.a $(3) $$(ALL_LDLIBS)
$(BUILD)/$(1): $(2) $(BUILD)/libpaising.a $(BUILD)/commands/$(1)
	$$(command_$(1))
endef

all:

# The first five say of which objects the library is made.
LIBRARY   :=
HARNESSES :=
include paising/cpu/cpu.mk paising/cuda/cuda.mk paising/ranks/ranks.mk reference/reference.mk paising/paising.mk paising/helium/helium.mk
include validate/rng/rng.mk validate/validate.mk validate/fuzz/fuzz.mk perf/perf.mk ci/ci.mk

PROGRAMS := $(addprefix $(BUILD)/,paising paising-helium exact compare)
all: $(PROGRAMS) $(LIBPAISING) $(addprefix $(BUILD)/,$(PLAIN) $(PRINTED))
ifeq ($(NVCC),)
	@echo 'nvcc is not there: built without CUDA, for the CPU'
endif
ifeq ($(MPICC),)
	@echo 'mpicc is not there: built without MPI, for one process'
endif

everything: all $(addprefix $(BUILD)/,$(HARNESSES) $(TESTS))

# The README's two commands; their recipes stand in validate/validate.mk.
demo:
check:

# The libraries that every build needs: random numbers, header only, and checksums.
$(BUILD)/has/random123: $(BUILD)/commands/c
	@mkdir -p $(@D)
	@echo '#include <Random123/philox.h>' | $(CC) $(ALL_CPPFLAGS) -E -x c - >/dev/null 2>&1 || \
	  { echo 'Random123 is missing; please type: sudo apt-get install librandom123-dev' >&2; exit 1; }
	@touch $@
$(BUILD)/has/zlib: $(BUILD)/commands/c
	@mkdir -p $(@D)
	@printf '#include <zlib.h>\nint main(void) { return !zlibVersion(); }\n' | \
	  $(CC) $(ALL_CPPFLAGS) -x c - -o $@ -L.deps/lib -lz >/dev/null 2>&1 || \
	  { echo 'zlib is missing; please type: sudo apt-get install zlib1g-dev' >&2; exit 1; }

# What was built is installed as it is, if no source is newer: with the PATH of sudo, a compiler or nvcc may be another one, or none,
# and that alone is no reason to build again.
PREFIX   ?= /usr/local
INSTALLED = $(DESTDIR)$(PREFIX)
MANUALS  := $(wildcard paising/docs/*.1)
GUIDE    := $(wildcard paising/docs/*.md paising/docs/*.json)
TO_INSTALL = $(LIBPAISING) $(PROGRAMS) $(addprefix $(BUILD)/,$(PRINTED))
IN_LIBRARY = $(filter %.o,$(call recorded,$(BUILD)/commands/library))
WITH_CUDA  = $(if $(filter %.cu.o,$(IN_LIBRARY)),nvcc)
install:
	@$(MAKE) -q AS_BUILT=yes LIBRARY='$(IN_LIBRARY)' NVCC=$(WITH_CUDA) $(TO_INSTALL) 2>/dev/null || $(if $(WITH_CUDA),$(if $(NVCC),,\
	  { echo 'sources are newer than what was built with CUDA, and nvcc is not in PATH: please type make first' >&2; exit 1; };)) \
	  $(MAKE) $(TO_INSTALL)
	install -D -m 755 $(BUILD)/paising '$(INSTALLED)/bin/paising'
	install -D -m 755 $(BUILD)/paising-helium '$(INSTALLED)/bin/paising-helium'
	install -D -m 755 $(BUILD)/exact '$(INSTALLED)/bin/paising-exact'
	install -D -m 755 $(BUILD)/compare '$(INSTALLED)/bin/paising-compare'
	install -D -m 644 $(BUILD)/paising.1 '$(INSTALLED)/share/man/man1/paising.1'
	install -D -m 644 -t '$(INSTALLED)/share/paising/baselines' perf/baselines/*.dat
	install -D -m 644 -t '$(INSTALLED)/include' paising/paising.h
	install -D -m 755 $(BUILD)/lib/libpaising.so '$(INSTALLED)/lib/libpaising.so.$(MAJOR)'
	ln -sf libpaising.so.$(MAJOR) '$(INSTALLED)/lib/libpaising.so'
	install -D -m 644 $(BUILD)/lib/libpaising.a '$(INSTALLED)/lib/libpaising.a'
	install -D -m 644 $(BUILD)/lib/paising.pc '$(INSTALLED)/lib/pkgconfig/paising.pc'
	sed -i 's|^prefix=.*|prefix=$(PREFIX)|' '$(INSTALLED)/lib/pkgconfig/paising.pc'
	install -D -m 644 -t '$(INSTALLED)/share/doc/paising/examples' paising/examples/*.c
	install -D -m 644 -t '$(INSTALLED)/share/man/man1' $(MANUALS)
	install -D -m 644 -t '$(INSTALLED)/share/doc/paising' $(GUIDE)
	install -D -m 644 $(BUILD)/completion.bash '$(INSTALLED)/share/bash-completion/completions/paising'
	install -D -m 644 $(BUILD)/completion.zsh '$(INSTALLED)/share/zsh/site-functions/_paising'

uninstall:
	rm -f $(foreach name,paising paising-helium paising-exact paising-compare,'$(INSTALLED)/bin/$(name)')
	rm -f '$(INSTALLED)/share/man/man1/paising.1'
	rm -f $(foreach model,$(notdir $(wildcard perf/baselines/*.dat)),'$(INSTALLED)/share/paising/baselines/$(model)')
	rm -f $(foreach page,$(notdir $(MANUALS)),'$(INSTALLED)/share/man/man1/$(page)')
	rm -f $(foreach page,$(notdir $(GUIDE)),'$(INSTALLED)/share/doc/paising/$(page)')
	rm -f '$(INSTALLED)/share/bash-completion/completions/paising' '$(INSTALLED)/share/zsh/site-functions/_paising'
	rm -f '$(INSTALLED)/include/paising.h' '$(INSTALLED)/lib/pkgconfig/paising.pc'
	rm -f $(foreach end,a so so.$(MAJOR),'$(INSTALLED)/lib/libpaising.$(end)')
	rm -f $(foreach example,$(notdir $(wildcard paising/examples/*.c)),'$(INSTALLED)/share/doc/paising/examples/$(example)')
	-rmdir '$(INSTALLED)/share/doc/paising/examples' '$(INSTALLED)/share/doc/paising' 2>/dev/null
	-rmdir '$(INSTALLED)/share/paising/baselines' '$(INSTALLED)/share/paising' 2>/dev/null

VERSION = $(shell sed -n 's/^.define PAISING_VERSION "\(.*\)"/\1/p' $(wildcard paising/*/*.h))
dist:
	@mkdir -p $(BUILD)
	git archive --prefix=paising-$(VERSION)/ -o $(BUILD)/paising-$(VERSION).tar.gz HEAD

help:
	@sed -n 's/^#   //p' Makefile

clean:
	rm -rf $(BUILD)

FORCE:
-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

.PHONY: all everything install uninstall dist help clean FORCE
.SECONDARY:
.DELETE_ON_ERROR:
