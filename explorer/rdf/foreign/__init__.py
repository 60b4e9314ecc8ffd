"""Files of other systems, read with nothing taken on trust."""
