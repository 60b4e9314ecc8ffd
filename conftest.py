"""What tests and notebooks run in: a home of their own, no key, no saved examples, a summary of what was skipped."""

import os
import tempfile
from collections import Counter
from pathlib import Path

import hypothesis

SETTINGS = (
    "EXPLORER_WORKSPACE",
    "EXPLORER_ENDPOINT",
    "EXPLORER_MODEL",
    "EXPLORER_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)
JUPYTER = (
    "JUPYTER_CONFIG_DIR",
    "JUPYTER_CONFIG_PATH",
    "JUPYTER_DATA_DIR",
    "JUPYTER_PATH",
    "JUPYTER_RUNTIME_DIR",
    "IPYTHONDIR",
)

# The files that take longest begin first: else a worker would be left with one of them while the others are idle.
LONGEST = (
    "tests/test_kill.py",
    "tests/cli/test_commands.py",
    "tests/test_docs_commands.py",
    "tests/servers/test_copying.py",
    "tests/test_sample.py",
    "tests/stores/contract/test_graphs.py",
    "tests/servers/test_lost_servers.py",
    "tests/record/bundles/test_bundles.py",
    "tests/record/verification/test_each_field.py",
    "tests/test_docs_python.py",
    "tests/cli/test_wrong_addresses.py",
    "tests/record/verification/test_rules.py",
    "tests/record/test_exporting.py",
    "tests/record/test_hard_times.py",
    "tests/servers/test_requests.py",
    "tests/record/test_storing_imports.py",
    "tests/stores/test_backup.py",
    "tests/test_install.py",
)

hypothesis.settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
hypothesis.settings.load_profile("repeatable")


def pytest_configure(config):
    """Move home before any test module is imported; kernels, JupyterLab and subprocesses inherit it."""
    home = tempfile.TemporaryDirectory(prefix="explorer-home-", ignore_cleanup_errors=True)
    config.add_cleanup(home.cleanup)
    for name in (*SETTINGS, *JUPYTER):
        os.environ.pop(name, None)
    os.environ["HOME"] = os.environ["USERPROFILE"] = home.name
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        os.environ[f"XDG_{name}_HOME"] = str(Path(home.name) / name.lower())
    os.environ["XDG_RUNTIME_DIR"] = home.name


def pytest_collection_modifyitems(config, items):
    """Put the files that take longest first."""
    place = {config.rootpath / name: at for at, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


def pytest_collectstart(collector):
    """Compare a notebook's plain text, not its HTML, which carries ids and pictures."""
    if collector.path.suffix == ".ipynb" and hasattr(collector, "skip_compare"):
        collector.skip_compare += ("text/html", "image/png", "application/vnd.jupyter.widget-view+json")


def pytest_terminal_summary(terminalreporter):
    """Report what was skipped, and why: a green run with gaps should not look like one without."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()))
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"not run: {count} × {reason.removeprefix('Skipped: ')}", yellow=True)
