"""The statements by which links on a server are fetched."""

from __future__ import annotations

from explorer.servers.postgres.server import Packed


def _packed(sql: str, *columns: str) -> Packed:
    """Return a statement that gives the rows of another one, all of whole numbers, as one value; −1: none.

    Of thousands of links it is the reading row by row that takes the time.
    """
    told = " || ".join(f"int8send(coalesce({one}, -1))" for one in columns)
    return Packed(f"SELECT string_agg({told}, ''::bytea) AS packed FROM ({sql}) AS unpacked")  # noqa: S608 - of ours


OF_A_LINK = ("asked", "fact", "head", "tail", "chunk")
# a title is looked up by its hash, whatever the planner thinks: OFFSET 0 keeps it from reading all of them
OF_ENTITIES = _packed(
    """
SELECT asked.node AS asked, found.* FROM unnest(CAST(? AS bigint[])) AS asked (node) CROSS JOIN LATERAL (
    (SELECT 0 AS fact, asked.node AS head, NULL AS tail, min(chunks.number) AS chunk FROM terms
        CROSS JOIN LATERAL (SELECT document FROM titles WHERE titles.iri = terms.iri OFFSET 0) AS titles
        JOIN documents ON documents.number = titles.document
        JOIN chunks ON chunks.document = documents.iri WHERE terms.number = asked.node GROUP BY documents.number)
    UNION ALL (SELECT * FROM (
        (SELECT fact, head, tail, chunk FROM links WHERE head = asked.node ORDER BY fact LIMIT ?)
        UNION (SELECT fact, head, tail, chunk FROM links WHERE tail = asked.node ORDER BY fact LIMIT ?)
    ) AS facts ORDER BY fact LIMIT ?)
    UNION ALL (SELECT -1, asked.node, NULL, chunk FROM mentions WHERE term = asked.node ORDER BY chunk LIMIT ?)
) AS found
""",
    *OF_A_LINK,
)
OF_PASSAGES = _packed(
    """
SELECT asked.chunk AS asked, found.* FROM unnest(CAST(? AS bigint[])) AS asked (chunk) CROSS JOIN LATERAL (
    (SELECT 0 AS fact, terms.number AS head, NULL AS tail, asked.chunk AS chunk FROM chunks
        JOIN documents ON documents.iri = chunks.document JOIN titles ON titles.document = documents.number
        JOIN terms ON terms.iri = titles.iri WHERE chunks.number = asked.chunk AND NOT EXISTS (
            SELECT 1 FROM chunks AS before WHERE before.document = chunks.document AND before.number < chunks.number))
    UNION ALL (SELECT fact, head, tail, chunk FROM links WHERE chunk = asked.chunk ORDER BY fact LIMIT ?)
    UNION ALL (SELECT -1, term, NULL, asked.chunk FROM mentions WHERE chunk = asked.chunk ORDER BY term)
) AS found
""",
    *OF_A_LINK,
)
TITLES_OF_ONE = 2  # at most
MENTIONED_THERE = -2  # stands for the fact where a row has how many mentions a passage has, in place of the entity
NEAR = _packed(
    f"""
SELECT asked.chunk AS asked, found.* FROM unnest(CAST(? AS bigint[])) AS asked (chunk) CROSS JOIN LATERAL (
    SELECT fact, head, tail, chunk FROM links WHERE chunk = asked.chunk ORDER BY fact LIMIT ?
) AS found
UNION ALL
SELECT chunk, {MENTIONED_THERE}, count(*), NULL, chunk FROM mentions
WHERE chunk IN (SELECT value FROM json_each(?)) GROUP BY chunk
""",  # noqa: S608 - words of ours
    *OF_A_LINK,
)
OF_HUBS = _packed(
    "SELECT chunk AS asked, -1 AS fact, term AS head, CAST(NULL AS bigint) AS tail, chunk FROM mentions "
    "WHERE chunk IN (SELECT value FROM json_each(?)) AND term IN (SELECT value FROM json_each(?))",
    *OF_A_LINK,
)
FACTS = _packed(
    "SELECT fact AS asked, fact, head, tail, chunk FROM links WHERE fact IN (SELECT value FROM json_each(?))",
    *OF_A_LINK,
)
_OF_AN_ENTITY = ("place", "titles", "facts", "mentions", "passages")
FEWEST = 2  # rows that are read of an entity at least: a name that has as many leads on
ALL = 1 << 62  # rows of a node
NOT_COUNTED = -1
_GIVEN = "SELECT * FROM unnest(CAST(? AS bigint[]), CAST(? AS bigint[])) AS given (place, member)"
# how many links entities have, those read as one together, without those that have none: sets are counted, as there are
# thousands
_COUNTED = f"""
WITH asked AS MATERIALIZED ({{asked}})
SELECT place, CAST(sum(title) AS bigint) AS titles, CAST(sum(fact) AS bigint) AS facts,
    CAST(sum(mention) AS bigint) AS mentions, {NOT_COUNTED} AS passages
FROM (
    SELECT asked.place, 0 AS title, 1 AS fact, 0 AS mention FROM asked JOIN links ON links.head = asked.member
    UNION ALL SELECT asked.place, 0, 1, 0 FROM asked JOIN links ON links.tail = asked.member
    UNION ALL SELECT asked.place, 0, 0, 1 FROM asked JOIN mentions ON mentions.term = asked.member
    UNION ALL SELECT asked.place, 1, 0, 0 FROM asked
        JOIN terms ON terms.number = asked.member JOIN titles ON titles.iri = terms.iri
) AS links_of GROUP BY place
"""  # noqa: S608 - words of ours
LINKS = _packed(_COUNTED.format(asked=_GIVEN), *_OF_AN_ENTITY)
# the same of few, and in how many passages they stand, which takes ten times as long
ABOUT = _packed(
    f"""
SELECT asked.place, titled.n AS titles, facts.n AS facts, mentioned.n AS mentions, (SELECT count(DISTINCT chunk) FROM (
    SELECT chunk FROM links WHERE head = ANY(asked.members)
    UNION ALL SELECT chunk FROM links WHERE tail = ANY(asked.members)
    UNION ALL SELECT chunk FROM mentions WHERE term = ANY(asked.members) AND titled.n + 2 * facts.n + mentioned.n > 1
    UNION ALL SELECT min(chunks.number) FROM terms CROSS JOIN LATERAL (
            SELECT document FROM titles WHERE titles.iri = terms.iri OFFSET 0
        ) AS titles JOIN documents ON documents.number = titles.document
        JOIN chunks ON chunks.document = documents.iri
        WHERE terms.number = ANY(asked.members) GROUP BY documents.number
) AS there) AS passages
FROM (SELECT place, array_agg(member) AS members FROM ({_GIVEN}) AS pairs GROUP BY place) AS asked
CROSS JOIN LATERAL (SELECT count(*) AS n FROM terms CROSS JOIN LATERAL (
    SELECT FROM titles WHERE titles.iri = terms.iri OFFSET 0
) AS named WHERE terms.number = ANY(asked.members)) AS titled
CROSS JOIN LATERAL (SELECT (SELECT count(*) FROM links WHERE head = ANY(asked.members))
    + (SELECT count(*) FROM links WHERE tail = ANY(asked.members)) AS n) AS facts
CROSS JOIN LATERAL (SELECT count(*) AS n FROM mentions WHERE term = ANY(asked.members)) AS mentioned
""",  # noqa: S608 - words of ours
    *_OF_AN_ENTITY,
)
