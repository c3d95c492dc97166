# The exact results: a part of the library, and a program.
LIBRARY += $(filter-out %_main.o,$(call objects_of,reference))
$(eval $(call program,exact,$(OBJ)/reference/exact_main.o))
