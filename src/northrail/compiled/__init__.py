"""Compiled kernels, written by `tools/compile_kernels.py` and loaded by `northrail.kernels.decorators`."""
