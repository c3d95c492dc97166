# Ranks, with the MPI that mpicc is of; without one, a program has one rank.
MPICC := $(shell command -v mpicc 2>/dev/null)
ifneq ($(MPICC),)
MPI_LDLIBS := -Wl,--as-needed $(shell $(MPICC) --showme:link) -Wl,--no-as-needed
ALONE      := paising/ranks/alone.c
RANK_FILES := $(filter-out $(ALONE),$(wildcard paising/ranks/*.c))
SEVERAL_HOSTS := $(OBJ)/validate/lib/several_hosts.o
$(eval $(call way,mpi,$$(COMPILE) $$(shell $(MPICC) --showme:compile),$(RANK_FILES:%.c=$(OBJ)/%.o) $(SEVERAL_HOSTS)))
else
ALONE      := $(filter-out paising/ranks/alone.c,$(wildcard paising/ranks/*.c))
endif
