# The exact results: a part of the library, and a program.
EXACT := $(addprefix $(OBJ)/reference/,exact_main.o exact_request.o)
# What the engines are held to: each a program in a file of its own, which needs only exp and log.
PLAIN := $(patsubst reference/%.c,%,$(wildcard reference/plain*.c))
LIBRARY += $(filter-out $(EXACT) $(PLAIN:%=$(OBJ)/reference/%.o),$(call objects_of,reference))
$(eval $(call program,exact,$(EXACT)))

define plain_program
command_$(1) = $$(CC) $$(filter-out -fopenmp,$$(ALL_CFLAGS)) -O2 $$(LDFLAGS) -o $$(BUILD)/$(1) reference/$(1).c -lm
$$(BUILD)/$(1): reference/$(1).c reference/plain.c reference/plain_msc.h reference/plain_reals.h reference/plain_random.h reference/plain_graph.h paising/base/ieee_math.h $$(BUILD)/commands/$(1)
	$$(command_$(1))
endef
$(foreach name,$(PLAIN),$(eval $(call plain_program,$(name))))
