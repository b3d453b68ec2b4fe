"""Tables on the network: people and bots play in the browser, or by program.

`protocol` and `printed` say what is sent, `table` is a match without any I/O, `store` keeps it; the `hall` brings them
together with bots and clocks, the `desk` gives seats, and `app` opens it all to HTTP and sockets.
"""
