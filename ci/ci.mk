# The programs under tools that look for errors of memory.

# DEVICE=auto|cuda:N
sanitize:
	@$(MAKE) $(PARALLEL) all
	@ci/sanitize.sh

# The whole suite under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, without CUDA.
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
sanitize-cpu:
	@SANITIZED=yes $(MAKE) check BUILD=build/sanitize NVCC= CFLAGS='-O1 -g $(SANITIZERS)'

.PHONY: sanitize sanitize-cpu
