"""A collection in PostgreSQL, with pgvector: one schema a collection, several processes that write at once.

pg8000 (BSD; psycopg is LGPL) speaks to the server, SQLAlchemy's `QueuePool` keeps the connections. Statements are
prepared once a connection, which halves what a look-up takes. Nothing of it is imported before a server is named.
"""
