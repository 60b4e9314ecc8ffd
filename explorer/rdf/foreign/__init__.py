"""Files of others, read with nothing taken on trust."""
