"""The ask bar: what it shows and asks with; the page draws it (static/bar/)."""
