"""The kernels as machine code. `tools/compile_kernels.py` makes all that is here; `northrail.kernel` loads it."""
