"""Pictures of boards and games, for files, notebooks and the page.

Cities are where they are on the globe, in a Lambert conformal conic projection that is true along two parallels of the
board, or at the x and y of the board file. The scale gives three quarters of the routes at least 55 units for each
train space: 0.71 units per kilometre on Nordic Countries, 0.65 on Northern Lights. A route is a quadratic curve with
its `bend`. Parallel routes are lanes next to each other, ordered by bend, so they never cross. Names look for a free
place around their city, panels for a free area of sea. Board files need `bend`, `nudge` or `label` only where that is
not enough. Every name is given its width (`textLength`), so a picture measures the same in every font.

The board is drawn once. `ground`, `routes` and `cities` draw shapes with classes; `style` says how the classes look in
a theme. `svg.draw` puts a whole picture together in the colours of one theme. `fragments.drawing_of` hands the same
shapes to the page, with CSS variables as colours, and the page adds gestures, highlights and names that grow.

A board's digest does not cover its drawing: moving a name breaks no record.
"""
