"""The derivation as a drawing: looks of its kinds, labels, places, columns, SVG, picture, list."""
