"""Nothing that is installed with the project, or to work on it, comes under the GPL, LGPL or AGPL."""

import importlib.metadata
import re
import tomllib
from email.message import Message
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.each import each

ROOT = Path(__file__).parents[1]
COPYLEFT = re.compile(r"\b[AL]?GPL|\bGNU (?:General|Lesser|Library|Affero|Public)\b", re.IGNORECASE)
OSI = "License :: OSI Approved ::"
OF_ITS_SOURCE = {"docutils": "rst.el"}  # the one file under the GPL, for Emacs, is not in the wheel; the rest is free
COMPATIBLE = re.compile(r"\(?\bGPL[- ]compatible\b\)?", re.IGNORECASE)


def is_copyleft(term):
    return bool(COPYLEFT.search(COMPATIBLE.sub("", term)))


def leaves_no_choice(expression):
    """Whether every way to read an expression holds a copyleft term: `or` is a choice, all else is not."""
    expression = expression.strip()
    while nested := re.search(r"\(([^()]*)\)", expression):  # innermost first
        verdict = " GPL " if leaves_no_choice(nested[1]) else " free "
        expression = expression[: nested.start()] + verdict + expression[nested.end() :]
    return all(is_copyleft(way) for way in re.split(r"\bor(?!-later)\b", expression, flags=re.IGNORECASE))


def titles(distribution):
    """The first line of each licence file that a distribution brings along."""
    files = [file for file in distribution.files or () if ".dist-info/licenses/" in str(file)]
    return [next(iter(file.read_binary().decode("utf-8", "replace").strip().splitlines()), "") for file in files]


def refusal(metadata, titles=()):
    """Why a distribution may not be used, or None. A whole licence text is judged by its title alone.

    `titles` are those of the licence files it brings along, for one whose metadata names no licence.
    """
    name, field = metadata["Name"], metadata.get("License") or ""
    stated = metadata.get("License-Expression") or (field.strip().splitlines() or [""])[0][:200]
    if stated and stated.upper() != "UNKNOWN":
        if leaves_no_choice(stated):
            return f"{name} is under {stated}"
        if metadata.get("License-Expression") or is_copyleft(stated):
            return None  # an expression is the last word; a field that names GPL and passes offers a choice
    classifiers = [c for c in metadata.get_all("Classifier", []) if c.startswith("License ::")]
    if copyleft := [c for c in classifiers if is_copyleft(c)]:
        return f"{name} is under {copyleft[0]}"
    if stated or classifiers:
        return None
    if copyleft := [title for title in titles if is_copyleft(title)]:
        return f"{name} comes with {copyleft[0]}"
    return None if any(titles) else f"{name} does not name its licence"


def declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = project["dependency-groups"].values()
    return [*project["project"]["dependencies"], *(line for group in groups for line in group)]


def closure(requirements):
    """Installed distributions that the requirements lead to, by canonical name."""
    found, waiting = {}, [Requirement(line) for line in requirements]
    while waiting:
        wanted = waiting.pop()
        seen = (canonicalize_name(wanted.name), frozenset(wanted.extras))
        if seen in found:
            continue
        found[seen] = distribution = importlib.metadata.distribution(wanted.name)
        for requirement in map(Requirement, distribution.requires or ()):
            extras = wanted.extras or {""}
            if not requirement.marker or any(requirement.marker.evaluate({"extra": e}) for e in extras):
                waiting.append(requirement)
    return {name: distribution for (name, _), distribution in found.items()}


def metadata(**fields):
    message = Message()
    message["Name"] = "made-up"
    for field, values in fields.items():
        for value in values if isinstance(values, list) else [values]:
            message[field.replace("_", "-")] = value
    return message


def test_no_dependency_is_copyleft():
    distributions = closure(declared())
    assert len(distributions) > 100, "the closure looks too small to be the whole of it"
    spared = {name: d for name, d in distributions.items() if name in OF_ITS_SOURCE}
    assert not [file for name, d in spared.items() for file in d.files if file.name == OF_ITS_SOURCE[name]]
    judged = (d for name, d in distributions.items() if name not in spared)
    assert [why for d in judged if (why := refusal(d.metadata, titles(d)))] == []


def test_every_dependency_is_locked():
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    locked = {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", lock, flags=re.MULTILINE)}
    assert closure(declared()).keys() <= locked, "run make lock"


@each(
    "fields",
    [
        {"License_Expression": "GPL-3.0-or-later"},
        {"License_Expression": "LGPL-2.1-only AND MIT"},
        {"License_Expression": "MIT AND (GPL-2.0-only OR AGPL-3.0-only)"},
        {"License": "AGPLv3"},
        {"License": "GNU General Public License v3 (GPLv3)"},
        {"License": "GNU LGPL"},
        {"License": "\n  GNU GENERAL PUBLIC LICENSE\n  Version 3, 29 June 2007\n\n Copyright (C) 2007 …"},
        {"License": "UNKNOWN", "Classifier": [f"{OSI} GNU Affero General Public License v3"]},
        {"License": "BSD", "Classifier": [f"{OSI} GNU Lesser General Public License v3 (LGPLv3)"]},
        {},
    ],
)
def test_copyleft_and_no_licence_are_refused(fields):
    assert refusal(metadata(**fields))


@each(
    "fields",
    [
        {"License_Expression": "MPL-2.0 AND MIT"},
        {"License_Expression": "MIT OR GPL-2.0-or-later"},
        {"License_Expression": "Apache-2.0 AND (MIT OR LGPL-3.0-only)"},
        {"License": "LGPL or MIT"},
        {"License": "PSF (GPL-compatible)"},
        {"License": "MIT License\n\nPermission is granted … and not under the GNU General Public License …"},
        {"License": "", "Classifier": [f"{OSI} BSD License", "Topic :: GPL"]},
    ],
)
def test_permissive_and_dual_licences_pass(fields):
    assert refusal(metadata(**fields)) is None


@pytest.mark.frameworks
def test_no_library_that_is_installed_to_watch_others_is_copyleft():
    folder = ROOT / ".frameworks"  # by `make test-frameworks`
    found = {canonicalize_name(one.name): one for one in importlib.metadata.distributions(path=[str(folder)])}
    asked = (ROOT / "tests/frameworks/requirements.txt").read_text("utf-8")
    assert found.keys() >= {*re.findall(r"^[\w-]+", asked, flags=re.MULTILINE)}
    assert {name: why for name, one in found.items() if (why := refusal(one.metadata, titles(one)))} == {}
