"""A database without pgvector: it is told what is missing, nothing is left there, and it works once that is there."""

from contextlib import closing

import pytest
from sqlalchemy.engine import make_url

from explorer.errors import WorkspaceError
from explorer.servers.postgres.server import Address, Server


@pytest.fixture
def bare(team):
    """The name of a database that is new, with no extension in it."""
    name = f"bare_{team.collection}"
    team.sql(f'CREATE DATABASE "{name}"')
    yield name
    team._opened.close()
    team.sql(f'DROP DATABASE "{name}" WITH (FORCE)')


def inside(url, name):
    """The address of another database on the same server."""
    return make_url(url).set(database=name).render_as_string(hide_password=False)


def ran(team, name, sql):
    with closing(Server(Address.read(inside(team.url, name)), "public").connect(30)) as connection:
        return connection.run(sql)


def is_bare(team, name):
    return ran(team, name, "SELECT 1 FROM pg_namespace WHERE nspname LIKE 'explorer%'") == []


def test_a_server_that_has_no_pgvector_is_told_what_to_install(team, bare):
    team.sql(f"ALTER DATABASE \"{bare}\" SET extension_control_path = '/nowhere'")
    with pytest.raises(WorkspaceError, match=r"has no pgvector; install it on the server, then .*CREATE EXTENSION"):
        team.open(url=inside(team.url, bare))
    assert is_bare(team, bare)
    team.sql(f'ALTER DATABASE "{bare}" RESET extension_control_path')
    assert team.open(url=inside(team.url, bare)).size.facts == 0


def test_a_role_that_may_not_make_it_is_told_so_until_another_has_made_it(team, bare):
    url = inside(team.role(f"{team.collection}_ann", "NOSUPERUSER"), bare)
    for grant, said in (
        ("", r"permission denied for database .*ask its owner for the right"),
        (
            f'GRANT CREATE ON DATABASE "{bare}" TO "{team.collection}_ann"',
            'permission denied to create extension "vector"',
        ),
    ):
        if grant:
            team.sql(grant)
        with pytest.raises(WorkspaceError, match=said):
            team.open(url=url)
        assert is_bare(team, bare)
    ran(team, bare, "CREATE EXTENSION vector SCHEMA public")
    assert not team.open(url=url).read_only


def test_where_it_is_dropped_later_a_question_ends_with_a_sentence_that_names_the_server(team, bare, tmp_path):
    (tmp_path / "valve.txt").write_text("Beech Aircraft built the relief valve in 1966.")
    ws = team.open(url=inside(team.url, bare))
    ws.ingest(tmp_path / "valve.txt", progress=False)
    ran(team, bare, "DROP EXTENSION vector CASCADE")
    done = ws.run("Who built the relief valve?").dag.done
    assert done.reason == "error"
    assert f'{ws.stores.database.server.address} refused this (type "halfvec" does not exist)' in done.error
