"""Building blocks of kernels: the decorators that mark them, structs, and bit operations."""
