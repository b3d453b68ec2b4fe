"""Tables on the network: people and bots play in the browser, or by program.

`match` is a match without any I/O, `store` keeps it, and `wire` says what is sent. `tables` brings them together with
bots and clocks, and `http` opens it all.
"""
