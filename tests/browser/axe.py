"""What axe-core finds wrong for people with other eyes, ears and hands, in words that say where and how to mend it."""

from axe_playwright_python.base import AXE_SCRIPT

GRAVE = ("serious", "critical")
RUN = """async ([within, grave]) => {
    const { violations } = await axe.run(within, { resultTypes: ["violations"] });
    return violations.filter(({ impact }) => grave.includes(impact));
}"""


def complaints(page, within=".pe-app"):
    """Serious and critical violations in that part of the page, one a line: rule, help, elements, what to do."""
    if not page.evaluate("() => Boolean(window.axe)"):
        page.evaluate(AXE_SCRIPT)
    return [line for violation in page.evaluate(RUN, [within, GRAVE]) for line in told(violation)]


def told(violation):
    for node in violation["nodes"]:
        where = " ".join(str(step) for step in node["target"])
        why = " ".join(node["failureSummary"].split())
        yield f"{violation['id']} ({violation['impact']}): {violation['help']}: {where} {node['html'][:160]!r}: {why}"
