"""What pytest loads before its other plugins, by `addopts`: each start gets cheaper, which every worker pays."""

import gc
import sys

import pytest

# jsonschema, which nbval brings, would build 38 parsers of it, for addresses that no notebook has: two seconds.
sys.modules["rfc3987_syntax"] = None
gc.disable()  # modules and tests are made, and stay


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    done = yield
    gc.freeze()
    gc.enable()
    return done
