"""The boards: their files, how we load and check them, and a template for new ones.

Our own code checks the fields of board files, by the table in `fields.py`, and of positions. Importing pydantic alone
adds 84 ms to the 253 ms that a new process needs for its first move. With models that read one board, on top of our own
checks, it adds 156 ms (best of 20 runs each). msgspec stops at the first fault, and we report all of them. `schema.py`
turns the table into a JSON Schema for editors.
"""
