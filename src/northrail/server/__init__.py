"""Tables on the network: people and bots play in the browser, or by program.

`protocol` says what is sent, `table` is a match without any I/O, `store` keeps it, `hall` brings them together with bots
and clocks, `app` opens it to HTTP and sockets.
"""
