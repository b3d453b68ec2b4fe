"""What clients and the server send each other: models of requests and responses, and the code that builds responses."""
