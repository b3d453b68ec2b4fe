"""The boards: their files, what is printed on them, and how a file is read and checked."""
