"""One test for all of its cases: each runs, and each that fails is named."""

import functools
import inspect

import pytest


def each(names, cases, ids=None):
    """Run a test for one case after the other, given as to `pytest.mark.parametrize`.

    A case has a `tmp_path` and a `monkeypatch` of its own; other fixtures it shares with all cases of the test.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    sets = [case if isinstance(case, type(pytest.param())) else as_set(case, names) for case in cases]

    def of_all(test):
        signature = inspect.signature(test)

        @functools.wraps(test)
        def one_by_one(**fixtures):
            failed = {}
            for number, case in enumerate(sets):
                try:
                    run(test, number, fixtures | dict(zip(names, case.values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    if "pytest-timeout" in str(error):  # the time was that of all cases
                        raise
                    name = name_of(number, case, ids)
                    error.add_note(f"Case: {name}")
                    failed[name] = error
            if failed:
                told = f"{len(failed)} of {len(sets)} cases: {', '.join(failed)}"
                raise BaseExceptionGroup(told, list(failed.values()))

        others = [one for name, one in signature.parameters.items() if name not in names]
        one_by_one.__signature__ = signature.replace(parameters=others)
        return one_by_one

    return of_all


def as_set(case, names):
    return pytest.param(*case) if len(names) > 1 else pytest.param(case)


def run(test, number, given):
    with pytest.MonkeyPatch.context() as monkeypatch:
        if "monkeypatch" in given:
            given["monkeypatch"] = monkeypatch
        if "tmp_path" in given:
            given["tmp_path"] /= str(number)
            given["tmp_path"].mkdir()
        test(**given)


def name_of(number, case, ids):
    """The name of a case: the one given, else its values, and its number since others may be called the same."""
    if case.id:
        return case.id
    if ids and not callable(ids):
        return ids[number]
    words = [(ids and ids(value)) or (value if isinstance(value, str) else repr(value)) for value in case.values]
    return f"{number} ({', '.join(str(word)[:60] for word in words)})"
