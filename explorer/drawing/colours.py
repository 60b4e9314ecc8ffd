"""The colours of the graph: (fill, text, border) by the role of a node, in light and dark, and those of the themes.

How an answer came out has one colour, wherever it is shown: green stands for nothing else.
"""

from __future__ import annotations

from explorer.events import ANSWERED, NOT_FOUND, UNSURE

Colours = tuple[str, str, str]
Looks = tuple[Colours, Colours]

STEP: Looks = (("#dcecf8", "#0d2f48", "#2a76ab"), ("#143248", "#d3eafa", "#4f9fd4"))
ASKED: Looks = (("#0b5a8f", "#ffffff", "#083f65"), ("#4ba3dc", "#06131d", "#9fd3f7"))
IDEA: Looks = (("#ffffff", "#0d2f48", "#2a76ab"), ("#111111", "#d3eafa", "#4f9fd4"))
FACT: Looks = (("#fdeecb", "#3d2a00", "#a86e00"), ("#43320a", "#fdeac0", "#d9a02b"))
WORDS: Looks = (("#ffffff", "#222222", "#6f6f6f"), ("#2b2b2b", "#ececec", "#9a9a9a"))
PAGE: Looks = (("#d6d6d6", "#222222", "#6f6f6f"), ("#6a6a6a", "#ececec", "#b5b5b5"))
FILE: Looks = (("#5f6b73", "#222222", "#3f484e"), ("#a3b0b8", "#ececec", "#d0d8dd"))
AGENT: Looks = (("#f5e3ef", "#4a1238", "#a8487f"), ("#41203a", "#f8dced", "#cf7aae"))
THOUGHT: Looks = (("#fcf5fa", "#4a1238", "#a8487f"), ("#2a1a26", "#f8dced", "#cf7aae"))
BROKEN: Looks = (("#fde3da", "#6d1f00", "#c8460a"), ("#4d1c0a", "#ffdccd", "#f0794a"))
GREY: Looks = (("#ffffff", "#4a4a4a", "#808080"), ("#1c1c1c", "#c4c4c4", "#8c8c8c"))

OUTCOMES: dict[str, tuple[Looks, Looks]] = {  # of an answer and its badge, and of a sentence or a part of it
    ANSWERED: (
        (("#0b6b4b", "#ffffff", "#064a33"), ("#4cc79a", "#04150e", "#a5ebcf")),
        (("#dbf1e8", "#0b3b2b", "#16825d"), ("#10392b", "#cdf2e2", "#3fb98c")),
    ),
    UNSURE: (
        (("#5b6166", "#ffffff", "#3a3f43"), ("#b9bec2", "#121212", "#e4e7e9")),
        (("#e9eaeb", "#262626", "#70767b"), ("#3a3d40", "#f0f0f0", "#a6abaf")),
    ),
    NOT_FOUND: (GREY, GREY),
}

THEMES: dict[str, dict[str, str]] = {
    "light": {"canvas": "#ffffff", "dim": "#505050", "edge": "#8a8a8a", "faint": "#d4d4d4", "lit": "#1976d2",
              "second": "#5c5c5c"},
    "dark": {"canvas": "#111111", "dim": "#b4b4b4", "edge": "#7d7d7d", "faint": "#4a4a4a", "lit": "#64b5f6",
             "second": "#b0b0b0"},
}  # fmt: skip
