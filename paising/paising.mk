# The library: every folder, the kernels and engines of cpu/ and cuda/, and the exact results.
LIBRARY += $(patsubst %.c,$(OBJ)/%.o,$(filter-out $(KERNELS) $(ALONE),$(wildcard paising/*/*.c paising/*/*/*.c)))
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
$(BUILD)/completion.%: $(BUILD)/paising
	$(BUILD)/paising --completion $* >$@
