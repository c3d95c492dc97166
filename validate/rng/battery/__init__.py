"""Random streams under statistical test: TestU01's batteries and the Ising test, run and judged."""
