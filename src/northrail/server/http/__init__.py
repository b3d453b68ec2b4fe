"""HTTP endpoints and the WebSocket."""
