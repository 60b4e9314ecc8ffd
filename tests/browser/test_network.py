"""A run as a network of pyvis: what the page of pyvis draws of it."""

import re

from tests.corpus import QUESTIONS, shared

BOXES = """() => Object.fromEntries(nodes.getIds().map((id) => [id, network.getBoundingBox(id)]))"""


def test_the_page_of_pyvis_draws_every_node_of_a_run_where_its_picture_has_it(page):
    made = shared().run(QUESTIONS[0]).to_pyvis()
    alone = re.sub(r'<(link|script)\s+(href|src)="?\s*"https[^>]*>', "", made.generate_html())  # its style sheets
    page.set_content(alone)
    page.wait_for_function("() => window.network?.getScale?.() > 0")
    drawn = page.evaluate(BOXES)
    assert drawn.keys() == {node["id"] for node in made.nodes}
    for node in made.nodes:
        box = drawn[node["id"]]
        assert box["right"] > node["x"] > box["left"], node
        assert box["bottom"] > node["y"] > box["top"], node
