"""How nodes, numbers and authors are worded in the app."""
