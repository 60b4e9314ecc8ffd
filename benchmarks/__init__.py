"""Speed and quality of the sample: `python -m benchmarks` measures and prints one table."""
