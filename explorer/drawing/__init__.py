"""The derivation as a drawing: looks of its kinds, places, columns, SVG, picture, list.

`looks` has a line for each kind of node. `folding` and `growing` place nodes while a run goes on, `finishing` once it
is over, a search by `final_search`, an agent's run by `final_agent`. `picture` and `svg` draw it to be saved.
"""
