"""Collections copied from one place to another: between folders and servers, in batches, and compared at the end."""
