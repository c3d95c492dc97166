# paising-helium: a program of its own over the library. Its loops over pairs are vectors of floats: what a square root or a
# division leaves in errno or in flags is asked by nobody. No value changes by that, and on GPUs nothing is contracted, either.
HELIUM := $(patsubst %.c,$(OBJ)/%.o,$(wildcard paising/helium/*.c)) \
          $(if $(NVCC),$(patsubst %.cu,$(OBJ)/%.cu.o,$(wildcard paising/helium/*.cu)))
$(eval $(call way,helium,$$(COMPILE) -fno-math-errno -fno-trapping-math,$(OBJ)/paising/helium/cpu.o))
$(OBJ)/paising/helium/%.cu.o: private NVCCFLAGS += --fmad=false
$(eval $(call program,paising-helium,$(HELIUM)))
