"""`explorer mcp` without the package that it needs; with it `make test-frameworks` tries a real client."""

import sys


def test_what_is_missing_is_said(program, place, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.delitem(sys.modules, "explorer.cli.mcp_server", raising=False)
    code, out, said = program("mcp", "-w", place / "ws")
    assert (code, out) == (2, "")
    assert "`explorer mcp` needs the package mcp: pip install 'provenance-explorer[mcp]'." in said
