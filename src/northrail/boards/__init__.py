"""The boards: their files, how we load and check them, and a template for new ones.

Our own code checks the fields of board files and positions, by the table in `fields.py`. Importing pydantic alone adds
84 ms to the 253 ms that a new process takes to its first move; with models of a board that read one file beside our own
checks it is 156 ms (best of 20 runs each). msgspec stops at the first fault, and we report all of them. `schema.py` turns
the same table into a JSON Schema for editors.
"""
