"""What perf/paising-bench is made of: perf/README.md says what it does."""
