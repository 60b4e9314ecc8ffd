from hypothesis import given
from hypothesis import strategies as st

from explorer.ingest.readers.encoding import decoded
from tests.each import each

ENGLISH = "The café on the corner — “Zoë’s” — charges £3 for a naïve blend.\r\nIt is open from 8 to 6.\n"
FRENCH = "L'été dernier, le garçon a été forcé de manger à l'hôtel près de la forêt.\n"
GERMAN = "Größe und Maße: Die Prüfung des Kessels wurde übermäßig früh durchgeführt.\n"
JAPANESE = "これは日本語のテキストです。タンクは東京で検査されました。\n"
RUSSIAN = "Это русский текст. Резервуар был проверен в Москве.\n"
POLISH = "Zbiornik został zbadany w Łodzi, a ciśnienie było właściwe. Część wyników się zgubiła.\n"
PRICES = "Name;Preis\nBürste;3,50 €\nSäge;12,00 €\n"


@each(("text", "codec", "told"), [
    (ENGLISH, "utf-8", None),
    (ENGLISH, "utf-8-sig", None),
    (ENGLISH, "utf-16", None),
    (ENGLISH, "utf-32", None),
    (ENGLISH, "cp1252", "Windows-1252"),
    (FRENCH, "latin-1", "Windows-1252"),
    (GERMAN, "latin-1", "Windows-1252"),
    ("Größe", "latin-1", "Windows-1252"),
    (PRICES, "cp1252", "Windows-1252"),
    (ENGLISH, "utf-16-le", "UTF-16"),
    (RUSSIAN, "utf-16-be", "UTF-16"),
    (JAPANESE, "utf-16-le", "UTF-16"),
    (JAPANESE, "shift_jis", "Shift-JIS"),
    (JAPANESE, "euc_jp", "EUC-JP"),
    (RUSSIAN, "cp1251", "Windows-1251"),
    (RUSSIAN, "koi8-r", "KOI8-R"),
    ("这是中文文本。油箱在北京检查过。\n", "gb18030", "GB 18030"),
    (POLISH, "cp1250", "Windows-1250"),
])  # fmt: skip
def test_the_encoding_of_a_text_is_told(text, codec, told):
    assert decoded(text.encode(codec), "a.txt") == (text.replace("\r\n", "\n"), told)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn"]), min_size=1).filter(str.strip))
def test_what_is_unicode_is_read_as_it_is(text):
    for codec in ("utf-8", "utf-16", "utf-32"):
        if not text.startswith("\ufeff"):
            assert decoded(text.encode(codec), "a") == (text, None)


def test_the_report_says_what_a_file_was_read_as(ws, tmp_path):
    (tmp_path / "old.txt").write_bytes(ENGLISH.encode("cp1252"))
    (tmp_path / "new.txt").write_text("Tank 2 was dropped in 1968.", encoding="utf-8")
    done = ws.ingest(tmp_path, progress=False)
    assert done.notes == ("old.txt was read as Windows-1252.",)
    assert "£3 for a naïve blend" in ws.run("What does the café charge for a blend?", engine="document-rag").answer
    assert (done.documents, done.refused) == (2, ())
