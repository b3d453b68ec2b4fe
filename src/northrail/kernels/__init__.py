"""The building blocks of kernels: decorators that mark them, structs they work on, and bit operations.

A *kernel* is an ordinary Python function over structs and numbers. The build compiles it to machine code, through
Cython (`tools/translate.py`, `tools/compile_kernels.py`). With NORTHRAIL_PLAIN=1 the same functions run as plain
Python, for debugging, for coverage, and to check that both give the same bytes.

- `decorators.kernel` marks a function that only other kernels call. `decorators.entry` marks one that Python calls too,
  and replaces it with its compiled form. An entry checks that each struct is of the right kind; kernels trust each
  other. ``@entry(threads=True)`` releases the GIL.
- `structs.Struct` is flat memory with named fields. You declare it once, as a class. mypy checks the class, NumPy gets
  its dtype from it, and the compiled code its C struct.
- `bits` holds bit operations, such as counting set bits. `tools/kernels.h` has the same functions in C.

Stale compiled code cannot run. Each compiled module carries a digest of the Cython code it was made from, and
``compiled/manifest.json`` lists these digests and those of the Python sources. The first entry compares both. Edited
comments and docstrings change nothing; edited code raises `NotBuilt`, which says what to run.

Compiled and plain code must agree, so kernels follow two rules. They convert values from arrays to ``int`` before they
shift or multiply them, because small NumPy integers overflow. They use ``//`` and ``%`` only on numbers that are not
negative, because C rounds differently.
"""
