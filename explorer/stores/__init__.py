"""The stores of a collection: graph, library, keywords, vectors, links and sources of facts.

They are written once, in SQL that SQLite and PostgreSQL both read, over a graph in a folder or behind an endpoint. What
the two do differently is behind protocols in `database`; a statement for one database belongs into its module.
`fact_passages` says where facts come from, `fact_sources` also what people corrected of them, `collection_view` which
part of a collection is read, `reading_ahead` what a question reads at once. `curation_journal` holds what people do
until library and graph both have it, also after a kill. A document is its writer's by its row, which is `writing` until
all of it is there. Over a network a question reads ahead: `Database.read_ahead` takes a plan of reads, which a folder
passes by. `tests/stores/contract/` holds all of them to the same tests.
"""
