"""The derivation as a drawing: kinds and their looks, words, places, columns, SVG, picture, list."""
