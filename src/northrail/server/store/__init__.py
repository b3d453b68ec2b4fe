"""The database that stores tables."""
