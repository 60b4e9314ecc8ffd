"""What a collection holds, as values that show as tables: documents, facts, entities."""
