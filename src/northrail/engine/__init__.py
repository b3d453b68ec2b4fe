"""The rules of both games: structs and kernels inside, and `Game`, `View` and `Event` for Python code.

**Structs and kernels.** `BoardStruct` holds the board, `State` a whole game, `ViewStruct` what one seat may know.
Kernels are functions over these structs. The board is always an argument, so one kernel serves every board. `State` and
`ViewStruct` start with the same fields (`Public`). A kernel that takes both is compiled once for each.

- Cards are counts by colour. Each draw takes a random card, which has the same odds as a shuffled deck.
- A *move* is one small step, numbered per board: a claim for each route, then 53 others. A set of moves is five words.
- A *choice* is what a person decides at once, such as a claim with its cards. `Game.apply` plays it, move by move.
- `payment.claimable` looks up which routes a hand can pay for, in tables that are filled when the board is loaded.
- A payment is laid card by card in a fixed order, so each payment has one sequence of moves per colour of its set. A
  card may come next only if the payment can still be completed exactly. Forced cards are laid automatically.
- On Northern Lights, returned tickets go under the deck in batches. A seat remembers its own batches. When another
  seat draws from one, it only knows that the rest is still from that batch, and forgets it once it is used up.
- The longest path is searched only where a bonus card, a tie or a caller needs it.

**Sentences.** Events and refusals are codes with facts, such as ``("deck_empty", {})``. `english` is the one place that
turns them into English, for `str()` and the command line. The page has its own texts.

**Secrets.** Everything a seat learns comes from `knowledge.look`, which fills a view from public facts and the seat's
own. A view's moves and options are computed from the view alone. `Event.seen_by` leaves out private facts. Players'
kernels take a `ViewStruct`, so they cannot read what their seat may not know. Two things are shown late on purpose:

- A payment, until it is complete. Otherwise a pause would reveal whether the seat had a choice.
- How many first tickets a seat kept, until all seats have chosen.

`knowledge.imagine` does the reverse: it fills a random state that fits a view, uniform over everything hidden. After
a reshuffle with two seats, each can work out the other's hand, so that hand counts as known.
"""
