"""The program as its script runs it, in this process."""

import sys

import pytest

from explorer import cli


@pytest.fixture
def program(monkeypatch, capsys):
    """Run a command in this process as the script does; gives exit code, output and what was said beside it."""

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["explorer", *map(str, arguments)])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = end.code or 0
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return command
