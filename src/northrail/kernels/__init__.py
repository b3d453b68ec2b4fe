"""What kernels are made of: the decorators that mark them, structs, and counting bits."""
