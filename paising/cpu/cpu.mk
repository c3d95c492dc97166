# The vectorised kernels are compiled once for each instruction set; the program picks the widest
# that the processor has.
KERNELS  := $(addprefix paising/cpu/,msc_sweep.c msc_points.c msc_gather.c msc_measure.c \
              msc_pack.c msc_variant.c ssc_draw.c ssc_rows.c)
VARIANTS := base $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),v3 v4)
# With the lines of the sources, and no more: all that a debugger could show takes a third of the time of the compiler.
FLAGS_base := -g1
FLAGS_v3 := -march=x86-64-v3 -g1
FLAGS_v4 := -march=x86-64-v4 -mprefer-vector-width=512 -g1

kernels_for = $(KERNELS:%.c=$(OBJ)/%.$(1).o)
for_variant = $$(COMPILE) $(FLAGS_$(1)) -DMSC_VARIANT=$(1) -DMSC_VARIANT_NAME='"$(1)"'
$(foreach v,$(VARIANTS),\
  $(eval $(call way,$(v),$(call for_variant,$(v)),$(call kernels_for,$(v)),.$(v))))

LIBRARY += $(foreach v,$(VARIANTS),$(call kernels_for,$(v)))
