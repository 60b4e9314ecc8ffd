from explorer.language.detection import language_of, name_of
from explorer.vocab import DC
from tests.each import each

GERMAN = (
    "Der Kessel wurde im Jahr 1968 in der Werkstatt in Halden geprüft und danach in das Lager gebracht. Niemand "
    "wusste, warum das Ventil offen stand. Anna Lund hat den Bericht geschrieben, weil die Prüfung unvollständig war."
)
FRENCH = (
    "Le réservoir a été contrôlé en 1968 dans l'atelier de Halden, puis il a été transporté au dépôt. Personne ne "
    "savait pourquoi la soupape était ouverte. Anna Lund a rédigé le rapport parce que le contrôle n'était pas complet."
)
ENGLISH = (
    "The tank was inspected in 1968 in the workshop of Halden and then it was brought to the store. Nobody knew why "
    "the valve was open. Anna Lund wrote the report because the inspection was not complete."
)


@each(("text", "code"), [
    (GERMAN, "de"),
    (GERMAN * 300, "de"),
    (FRENCH, "fr"),
    ("タンクは東京で検査され、その後倉庫に運ばれました。バルブが開いていた理由は誰も知りませんでした。" * 3, "ja"),
    ("Резервуар был проверен в мастерской в Москве, а затем отправлен на склад. Никто не знал, почему. " * 5, "ru"),
    ("طُلب فحص الخزان في الورشة في القاهرة ثم نقل إلى المستودع. لم يكن أحد يعرف لماذا كان الصمام مفتوحا.", "ar"),
    ("टंकी की जाँच दिल्ली की कार्यशाला में की गई और फिर उसे गोदाम में ले जाया गया। किसी को नहीं पता था क्यों।", "hi"),
    ("Tanken ble kontrollert på verkstedet i Bergen. Ingen visste hvorfor ventilen stod åpen.", "no"),
    (ENGLISH, "en"),
    (ENGLISH * 20 + GERMAN, "en"),
    ("Der Kessel", None),
    ("", None),
    ("| Part | Price |\n| --- | --- |\n" + "| Bolt M8 | 0.35 |\n| Müller GmbH | 4 |\n" * 20, None),
    ("0x3f 17 22 " * 200, None),
    ("Anna Lund, Ivar Dahl, Per Hansen, Kari Moe, Ola Berg, Siri Vik, Nils Lie, Eva Krog, Jon Aas, Liv Bo", None),
])  # fmt: skip
def test_the_language_of_a_text_is_told_where_it_is_clear(text, code):
    assert language_of(text) == code


def test_languages_have_names():
    assert [name_of(code) for code in ("de", "fr", "ja", "xx")] == ["German", "French", "Japanese", "xx"]


def test_a_document_that_is_not_english_is_read_and_searched_but_makes_no_facts(ws, tmp_path):
    (tmp_path / "bericht.txt").write_text(GERMAN, encoding="utf-8")
    (tmp_path / "report.txt").write_text(ENGLISH, encoding="utf-8")
    done = ws.ingest(tmp_path, progress=False)
    assert done.notes == ("No facts were made by rules from bericht.txt: it is in German.",)
    assert (done.documents, done.refused) == (2, ())
    subjects = " ".join(str(quad.subject) for quad in ws.graph.match(None, None, None, None))
    assert "Kessel" not in subjects
    said = ws.graph.match(None, DC.language, None, None)
    assert {quad.object.value for quad in said} == {"de", "en"}
    trace = ws.run("Warum stand das Ventil offen?", engine="document-rag")
    assert trace.sources()[0].title == "bericht"
    again = ws.ingest(tmp_path, progress=False)
    assert (again.documents, again.notes) == (0, ())


def test_passages_that_are_not_english_are_counted(take):
    texts = [GERMAN, ENGLISH, GERMAN.replace("1968", "1969"), FRENCH]
    lines = [f'{{"id": "p{n}", "text": "{text}"}}' for n, text in enumerate(texts)]
    assert take("corpus.jsonl", "\n".join(lines)).notes == (
        "No facts were made by rules from 2 passages: they are in German.",
        "No facts were made by rules from 1 passage: it is in French.",
    )


def test_a_chapter_in_another_language_gives_the_facts_of_its_tables_alone(ws, take):
    table = "| Teil | Firma |\n| --- | --- |\n| Kessel | Beech |\n"
    text = f"# Report\n\n{ENGLISH * 4}\n\n# Anhang\n\n{GERMAN * 3}\n\n{table}"
    done = take("report.md", text)
    words = [fact.words for fact in ws.facts(limit=None)]
    assert ("Kessel", "firma", "Beech") in words
    assert len(words) > 1
    english = {fact.words for fact in ws.facts(limit=None) if "Report" in fact.passages[0].section}
    assert {*words} - english == {("Kessel", "firma", "Beech")}
    [note] = done.notes
    assert note == "From 1 passage of report.md rules made facts of tables alone: it is in German."
