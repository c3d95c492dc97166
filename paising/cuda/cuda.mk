# The CUDA engines, with nvcc: for the GPU that is there, or else for sm_90 with PTX for newer ones;
# CUDA_ARCH=all builds for every architecture from sm_75 on.
CUDA_ARCH   ?= $(call once,CUDA_ARCH,$(if $(shell nvidia-smi -L 2>/dev/null),native,sm_90))
CUDA_EVERY  := $(foreach a,75 80 86 89 90,-gencode arch=compute_$(a),code=sm_$(a)) \
               -gencode arch=compute_90,code=compute_90
# Where nvcc can, it compiles the kernels of a file in parallel.
NVCC_SPLIT   = $(call once,NVCC_SPLIT,$(if $(shell $(NVCC) --help | grep -e --split-compile),-split-compile=0))
# CUDA_QUICK=yes: kernels that are compiled and linked, but not run, take a quarter of the time; they are slow.
NVCC_QUICK   = $(call once,NVCC_QUICK,$(if $(shell $(NVCC) --help | grep -e --Ofast-compile),--Ofast-compile=max -Xcompiler -O0))
NVCCFLAGS   ?= $(if $(filter yes,$(CUDA_QUICK)),$(NVCC_QUICK),-O3 -lineinfo) $(NVCC_SPLIT)
command_cuda = $(NVCC) -std=c++17 $(if $(filter all,$(CUDA_ARCH)),$(CUDA_EVERY),-arch=$(CUDA_ARCH)) \
               -Xcompiler -fPIC -Ipaising -I. $(NVCCFLAGS)

# Vectors of floats and doubles, and weights of fine energies, have the bits of the CPU: nothing is contracted.
$(OBJ)/paising/cuda/vectors/float.cu.o $(OBJ)/paising/cuda/vectors/double.cu.o \
$(OBJ)/paising/cuda/fine/levels.cu.o: private NVCCFLAGS += --fmad=false

$(OBJ)/%.cu.o: %.cu $(BUILD)/commands/cuda
	@mkdir -p $(@D)
	$(command_cuda) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# The C files that ask whether there are CUDA engines.
ASK_FOR_CUDA := $(shell grep -lw PAISING_CUDA $(wildcard */*.c */*/*.c */*/*/*.c))
$(eval $(call way,asks_for_cuda,$$(COMPILE) $(if $(NVCC),-DPAISING_CUDA),$(ASK_FOR_CUDA:%.c=$(OBJ)/%.o)))

ifneq ($(NVCC),)
CUDA_HOME   := $(abspath $(dir $(realpath $(shell command -v $(NVCC))))..)
# What kernels need of C++; -l:libstdc++.a: a copy of their own.
CXX_LIBRARY ?= -lstdc++
CUDA_LDLIBS := -L$(CUDA_HOME)/lib64 -lcudart_static -ldl -lrt -lpthread $(CXX_LIBRARY)
LIBRARY     += $(patsubst %.cu,$(OBJ)/%.cu.o,$(filter-out paising/helium/%,$(wildcard paising/*/*.cu paising/*/*/*.cu)))
endif
