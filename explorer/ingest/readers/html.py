"""Web pages: their main text with headings, lists and tables, and what they say of themselves."""

from __future__ import annotations

import codecs
import re

from selectolax.lexbor import LexborHTMLParser

from explorer.errors import DocumentError
from explorer.ingest.readers.document_text import Reading, named, title_from
from explorer.ingest.readers.encoding import is_binary
from explorer.ingest.readers.html_as_markdown import Marked, line_of, marked, parsed
from explorer.ingest.readers.markdown import sections

_LEAST_MAIN = 0.2  # of the words of a page: what is marked as its main part but holds less is not
_MOST_MAINS = 8
_DECLARED = re.compile(rb"""(?i)<meta[^>]+charset\s*=\s*["']?([\w.:-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)""")
_DECLARED_WITHIN = 4096
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_AUTHORS = frozenset({"author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author"})
_DATES = frozenset(
    "date dc.date dcterms.date dcterms.created dc.date.issued dcterms.issued article:published_time "
    "citation_publication_date citation_date pubdate publish-date datepublished sailthru.date".split()
)
_TITLES = frozenset({"og:title", "dc.title", "dcterms.title", "citation_title", "twitter:title"})
_DAY = re.compile(r"\d{4}(?:[-/]\d{2}(?:[-/]\d{2})?)?")


def read_html(data: bytes, name: str) -> Reading:
    """Read a web page. Raises DocumentError when it has no text in it."""
    return read_page(decoded(data, name), name)


def read_page(html: str, name: str) -> Reading:
    """Read the text of a web page, as `read_html`."""
    page = parsed(html, name)
    found = page_text(page)
    if not found.text:
        raise DocumentError(f"{name!r} has no text in it; open it in a browser, save what you see there and use that.")
    said = [node.attributes for node in page.css("meta[content]")]
    given = [((one.get("name") or one.get("property") or "").lower(), one.get("content") or "") for one in said]
    heading = next((words for level, words, _ in found.headings if level == 1), None)
    head = page.css_first("head title")
    title = (
        named(line_of(head) if head else None) or named(_first(given, _TITLES)) or named(heading) or title_from(name)
    )
    author, date = named(_first(given, _AUTHORS)), _DAY.match(_first(given, _DATES) or "")
    return Reading(
        title,
        "text/html",
        found.text,
        tuple(sections(found.text, 0, found.headings, title)),
        None if author and "://" in author else author,
        date[0].replace("/", "-") if date else None,
    )


def page_text(page: LexborHTMLParser) -> Marked:
    """Return the main text of a page, or all of its text where that leaves nothing."""
    body = page.body
    if body is None:
        return Marked("", ())
    whole = marked(body, is_page=True)
    mains, articles = page.css("main, [role=main]"), page.css("article")
    nodes = mains[:_MOST_MAINS] or (articles if len(articles) == 1 else [])
    found = [marked(node, is_page=True) for node in nodes]
    best = max(found, key=lambda one: len(one.text), default=whole)
    if len(best.text) < _LEAST_MAIN * len(whole.text):
        best = whole
    return best if best.text else marked(body)


def decoded(data: bytes, name: str, told: str = "") -> str:
    """Return the text of a file of HTML, in the encoding told or declared, else UTF-8 or what browsers take it for."""
    declared = _DECLARED.search(data, 0, _DECLARED_WITHIN)
    named_ones = [(declared[1] or declared[2]).decode("ascii", "replace")] if declared else []
    marks = [encoding for mark, encoding in _MARKS if data.startswith(mark)]
    for encoding in [*marks, *filter(None, [told]), *named_ones, "utf-8"]:
        try:
            text = data.decode(encoding)
        except (LookupError, ValueError):
            continue
        if not is_binary(text):
            return text.removeprefix("\ufeff")
    if is_binary(text := data.decode("cp1252", "replace")):
        raise DocumentError(f"{name!r} is binary, not a web page; open it in a browser and save it again.")
    return text


def _first(given: list[tuple[str, str]], names: frozenset[str]) -> str | None:
    return next((content for name, content in given if name in names and content.strip()), None)
