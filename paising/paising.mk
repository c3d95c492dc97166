# The library: every folder, the kernels and engines of cpu/ and cuda/, and the exact results.
LIBRARY += $(patsubst %.c,$(OBJ)/%.o,$(filter-out $(KERNELS) $(ALONE) paising/examples/% paising/helium/%,$(wildcard paising/*/*.c paising/*/*/*.c)))
command_library = $(AR) rcs $(BUILD)/libpaising.a $(LIBRARY)
$(BUILD)/libpaising.a: $(LIBRARY) $(BUILD)/commands/library
	@rm -f $@
	$(command_library)

$(eval $(call program,paising,$(OBJ)/paising/main.o))

# Results name the commit: git's, or in an archive (make dist) the one in .commit.
COMMIT = $(call once,COMMIT,$(shell grep -v Format .commit || \
           git describe --always --dirty 2>/dev/null || echo unknown))
$(eval $(call way,commit,$$(COMPILE) -DPAISING_COMMIT='"$$(COMMIT)"',$(OBJ)/paising/base/commit.o))

# What the program prints of itself, to be installed.
PRINTED := paising.1 completion.bash completion.zsh
$(BUILD)/paising.1: $(BUILD)/paising
	$(BUILD)/paising --manual >$@

# For other programs: libpaising.so and libpaising.a, of which paising.h is seen and nothing else, and paising.pc.
MAJOR     = $(firstword $(subst ., ,$(VERSION)))
LIBPAISING := $(addprefix $(BUILD)/lib/,libpaising.so libpaising.a paising.pc)
command_shared = $(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libpaising.so.$(MAJOR) \
               -Wl,--version-script=paising/library/symbols.map -o $(BUILD)/lib/libpaising.so \
               -Wl,--whole-archive $(BUILD)/libpaising.a -Wl,--no-whole-archive $(ALL_LDLIBS)
$(BUILD)/lib/libpaising.so: $(BUILD)/libpaising.a paising/library/symbols.map $(BUILD)/commands/shared
	@mkdir -p $(@D)
	$(command_shared)
	ln -sf libpaising.so $(@D)/libpaising.so.$(MAJOR)

$(BUILD)/lib/libpaising.a: $(BUILD)/libpaising.a
	@mkdir -p $(@D)
	$(LD) -r -o $(@D)/paising.o --whole-archive $(BUILD)/libpaising.a
	objcopy -w --keep-global-symbol='paising_*' $(@D)/paising.o
	@rm -f $@
	$(AR) rcs $@ $(@D)/paising.o
	@rm $(@D)/paising.o

$(BUILD)/lib/paising.pc: $(BUILD)/commands/shared Makefile
	@mkdir -p $(@D)
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: paising' 'Description: Monte Carlo simulation of spin models' 'Version: $(VERSION)' \
	  'Cflags: -I$${prefix}/include' 'Libs: -L$${prefix}/lib -lpaising' 'Libs.private: -fopenmp $(LDLIBS) -lz -lm $(CUDA_LDLIBS) $(MPI_LDLIBS)' >$@

# The Python package with a library of its own: without MPI; with CUDA, where nvcc is, for every GPU that is not said to be another.
wheel:
	@mkdir -p $(BUILD)
	@PAISING_MAKE='$(if $(NVCC),CUDA_ARCH=$(if $(filter file,$(origin CUDA_ARCH)),all,$(CUDA_ARCH)),NVCC=) $(filter -j%,$(MAKEFLAGS))' \
	  python3 paising/python/build_paising.py $(BUILD)
.PHONY: wheel

$(BUILD)/completion.%: $(BUILD)/paising
	$(BUILD)/paising --completion $* >$@
