"""The wheel is the whole product, and the lock says nothing of where it was made."""

import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = """
import explorer, pathlib
print(pathlib.Path(explorer.__file__).resolve())
ws = explorer.demo()
trace = ws.run("Why did oxygen tank no. 2 fail?")
print(trace.reason, len(trace.edges))
"""


def run(*command, **options):
    command = [str(part) for part in command]
    done = subprocess.run(command, check=False, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    offline = ("--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "wheel", *offline, "--wheel-dir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The Python of an environment with the wheel in it, which sees our libraries but not the source tree."""
    folder = tmp_path_factory.mktemp("installed") / "env"
    venv.create(folder, symlinks=os.name != "nt")
    scheme = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", "venv", scheme))
    python = Path(sysconfig.get_path("scripts", "venv", scheme)) / "python"
    install = ("install", "--no-deps", "--no-index", "--disable-pip-version-check", "--quiet")
    run(sys.executable, "-m", "pip", "--python", python, *install, wheel)
    # A path in a .pth file does not read the .pth files in that folder: the editable install stays unseen.
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return python


def test_the_wheel_holds_the_package_its_static_files_and_the_corpus(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for folder, ending in [("explorer", "*.js"), ("explorer", "*.css"), ("sample_data/apollo13", "*")]:
        for path in (ROOT / folder).rglob(ending):
            left_out = path.suffix in (".py", ".pyc") or path.name.startswith(("README", "."))
            if path.is_file() and not left_out:
                inside = path.relative_to(ROOT).as_posix()
                assert (f"explorer/{inside}" if folder.startswith("sample_data") else inside) in names
    assert not [
        name for name in names if "/audit/" in name or "make_report" in name or "README" in name or "tests" in name
    ]


def test_the_demo_answers_from_an_installed_wheel_in_an_empty_folder(installed, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    home = tmp_path / "home"
    surroundings = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    surroundings |= {"HOME": str(home), "USERPROFILE": str(home)}
    surroundings |= {f"XDG_{n}_HOME": str(home / n.lower()) for n in ("CONFIG", "DATA", "CACHE", "STATE")}
    where, answered = run(installed, "-c", EXAMPLE, cwd=empty, env=surroundings).splitlines()[-2:]
    assert Path(where).is_relative_to(installed.parents[1].resolve())
    assert int(answered.split()[-1]) > 0
    assert list(empty.iterdir()) == []


def test_the_lock_names_no_host_no_folder_and_no_gpu_library():
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert re.findall(r"://|--[\w-]*index|--find-links|@ |^/", lock, re.MULTILINE) == []
    assert re.findall(r"^(?:torch|nvidia|cuda|triton)\S*", lock, re.MULTILINE) == []
    for line in re.findall(r"^[\w.-]+==[^\\]*", lock, re.MULTILINE):
        assert re.match(r"[\w.-]+==[\w.!+]+ (; .*)?$", line), line
