"""The workspace and the app of the widgets' tests."""

from tests.widgets.conftest import answered, app, sent, told, ws  # noqa: F401 - fixtures
