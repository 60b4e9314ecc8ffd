"""The Documents tab: files that come over from the page, the list of documents, and one of them."""
