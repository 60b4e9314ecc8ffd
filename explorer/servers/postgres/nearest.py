"""Vectors of one kind on a server: no process holds them.

Few are compared one by one, as a folder does; of many an HNSW index finds candidates. Either way the best are compared
once more by their stored codes, with the same arithmetic as a folder's, so similarities are the same to the last digit.
Codes are whole numbers up to 127, which a halfvec holds exactly, and an index of those goes up to 4,000 dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack
from typing import TYPE_CHECKING

from explorer.servers.postgres.lease import OnServer
from explorer.stores.vectors.index import arrays, nearest_rows

if TYPE_CHECKING:
    from explorer.stores.database import Matrix

_SPARE = 100  # candidates beyond twice what is asked for: a query is rounded to half precision
_OF_A_NODE = 700  # bytes that a vector takes in the index beside its own, as it is made
_MOST_MEMORY = 2_000  # MB of the server's memory to make an index in
_KINDS = ("edge", "chunk", "entity")


class ServerIndex:
    """A `NearestIndex` in the database."""

    def __init__(self, database: OnServer, kind: str, few: int) -> None:
        """Read nothing yet; up to `few` vectors are compared one by one."""
        if kind not in _KINDS:
            raise ValueError(kind)
        self.database = database
        self.kind = kind
        self.few = few

    def nearest(self, queries: Matrix, limit: int) -> list[list[tuple[int, float]]]:
        if not len(queries) or limit <= 0:
            return [[] for _ in queries]
        of: dict[int, list[tuple[int, bytes]]] = {}
        told = [_text(query) for query in queries], 2 * limit + _SPARE
        for place, number, vector in self.database.rows(self._sql(queries.shape[1]), told):
            of.setdefault(place, []).append((number, vector))
        return [
            nearest_rows(*arrays(of[place]), query, limit) if place in of else []
            for place, query in enumerate(queries, 1)
        ]

    def _sql(self, size: int) -> str:
        near = f"near::halfvec({size})" if self.database.tally(self.kind).held > self.few else "near"
        return (  # a query is read once, not for every row
            f"WITH asked AS MATERIALIZED (SELECT place, CAST(told AS halfvec({size})) AS query "  # noqa: S608 - words from here
            "FROM unnest(CAST(? AS text[])) WITH ORDINALITY AS given (told, place)) "
            "SELECT asked.place, vectors.number, vectors.vector FROM asked "
            f"CROSS JOIN LATERAL (SELECT number FROM nearest WHERE kind = '{self.kind}' "
            f"ORDER BY {near} <=> asked.query LIMIT ?) AS found "
            "JOIN vectors ON vectors.number = found.number ORDER BY asked.place, vectors.number"
        )

    def make_ready(self) -> None:
        """Make the index of many vectors, which others go on writing to meanwhile; does nothing where they are few, or
        for who does not own the tables: until their owner does it they are compared one by one.
        """
        database = self.database
        if database.read_only or database.tally(self.kind).held <= self.few:
            return
        if database.rows(
            "SELECT 1 FROM pg_indexes WHERE schemaname = current_schema() AND indexname = ?", (self._name,)
        ):
            return
        if not database.is_owned:
            return
        [row] = database.rows("SELECT length(vector) AS size FROM vectors WHERE kind = ? LIMIT 1", (self.kind,))
        size = int(row["size"])
        needed = min(_MOST_MEMORY, database.tally(self.kind).held * (2 * size + _OF_A_NODE) >> 20)
        connection = database.server.connect(None)
        try:
            with database.server.reported():
                # an index that outgrows this while it is made takes four times as long
                connection.run("SELECT set_config('maintenance_work_mem', :needed, false)", needed=f"{64 + needed}MB")
                connection.run(
                    f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {self._name} ON nearest "
                    f"USING hnsw ((near::halfvec({size})) halfvec_cosine_ops) WHERE kind = '{self.kind}'"
                )
        finally:
            connection.close()

    @property
    def _name(self) -> str:
        return f"nearest_{self.kind}_hnsw"


def copied(kind: str, rows: Sequence[tuple[int, bytes]]) -> bytes:
    """Return rows of `nearest`, number and stored vector each, as COPY reads them in binary.

    Written as text, vectors took longer than all else that the database is sent. A halfvec is its number of dimensions,
    an empty word and its halves, big-endian (pgvector, halfvec_recv).
    """
    import numpy as np

    words = kind.encode()
    told = list[bytes]()
    for number, code in rows:
        halves = np.frombuffer(code, dtype=np.int8).astype(">f2").tobytes()
        size = 4 + len(halves)
        told.append(pack(f">hiqi{len(words)}sihh", 3, 8, number, len(words), words, size, len(code), 0) + halves)
    return b"".join([b"PGCOPY\n\xff\r\n\0", bytes(8), *told, b"\xff\xff"])


def _text(query: Matrix) -> str:
    return f"[{','.join(map(repr, query.tolist()))}]"
