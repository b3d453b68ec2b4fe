"""Pictures of boards and games, for files, notebooks and the page.

Cities are at their place on the globe, or at the x and y of the board file. The projection is Lambert's conformal
conic, which is true to scale along two parallels of the board. Three quarters of the routes have at least 55 units for
each train space: the scale is 0.71 units per kilometre on Nordic Countries, 0.65 on Northern Lights. A route is a
quadratic curve with its `bend`. Parallel routes are lanes next to each other, ordered by bend, so they never cross. We
put names in a free place around their city, and panels over free sea. Board files need `bend`, `nudge` or `label` only
where that is not enough. Every name has a fixed width (`textLength`), so that it fits in every font.

The board is drawn once. `ground`, `routes` and `cities` draw shapes with classes; `style` says how the classes look in
a theme. `svg.draw` puts a whole picture together in the colours of one theme. `fragments.drawing_of` returns the
same shapes for the page, with CSS variables as colours. The page adds gestures, highlights and larger names.
`thumbnail` draws a board once more as a small picture, with only land, routes and cities.

A board's digest does not cover its drawing: old records stay valid when a name moves.
"""
