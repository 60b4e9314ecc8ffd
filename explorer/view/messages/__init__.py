"""Every message between Python and the page, in both directions, as a typed value: a module for each panel.

Python sends typed dicts, which are JSON as they are: `t` is the kind of a message, and mypy checks the fields;
`message` has all of them. What the page sends is in `requests`.
`tests/view/test_messages.py` checks the scripts of the page against these modules.
"""
