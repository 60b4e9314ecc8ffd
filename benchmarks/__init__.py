"""Speed and quality, measured: `python -m benchmarks` prints the tables of docs/benchmarks.md."""
