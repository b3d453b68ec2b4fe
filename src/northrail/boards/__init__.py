"""The boards: their files, how we load and check them, and a template for new ones.

Our own code checks the fields of board files and positions, by the table in `fields.py`. With pydantic models a new
process takes 156 ms longer to its first move (253 ms without, best of 20 runs each; 84 ms of it is the import), and we
would still have to word every message. msgspec stops at the first fault, and we report all of them. `schema.py` turns
the same table into a JSON Schema for editors.
"""
