import datetime as dt

from explorer.ingest.readers.cells import shown
from tests.each import each


@each(("value", "number_format", "text"), [
    (3.5, "€ #,##0.00", "€ 3.50"),
    (1234567.891, "#,##0.00", "1,234,567.89"),
    (1234.5, "_-* #,##0.00\\ [$€-407]_-;-* #,##0.00\\ [$€-407]_-", "1,234.50 €"),
    (-5, "$#,##0.00_);($#,##0.00)", "($5.00)"),
    (-5, "#,##0.00", "-5.00"),
    (-3.25, "0.0;[Red]0.0", "3.3"),
    (0.15, "0%", "15%"),
    (-0.25, "0.0%", "-25.0%"),
    (0.1 + 0.2, "General", "0.3"),
    (3.0000000001, None, "3"),
    (12345678901.25, None, "12345678901"),
    (0.000012345, None, "0.000012345"),
    (1e300, "0.00", "1e+300"),
    (float("nan"), "0.00", "nan"),
    (7, "00000", "00007"),
    (5, '0" kg"', "5 kg"),
    (1.5e6, '0.0,,"M"', "1.5M"),
    (2.5, "0", "3"),
    (0.1, "0.0##", "0.1"),
    (1.5, "# ?/?", "1.5"),
    (2019, "General", "2019"),
    (True, None, "TRUE"),
    (None, None, ""),
    (dt.datetime(2024, 1, 5), None, "2024-01-05"),  # noqa: DTZ001 - as sheets have them
    (dt.datetime(2024, 1, 5, 14, 29, 59, 999_999), None, "2024-01-05 14:30"),  # noqa: DTZ001
    (dt.time(8, 5), None, "08:05"),
    (dt.timedelta(hours=36, minutes=5), None, "36:05"),
    ("=SUM(A1:A3)", None, "=SUM(A1:A3)"),
])  # fmt: skip
def test_a_value_is_written_as_a_sheet_shows_it(value, number_format, text):
    assert shown(value, number_format) == text
