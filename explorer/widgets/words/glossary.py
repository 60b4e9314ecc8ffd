"""Words of a lesson that a class may not know, each in one sentence; the page explains them where they stand."""

GLOSSARY = {
    "Grounding": "Taking the key ideas from a question: the words to look for.",
    "Exploration": "Looking at the facts or passages around the key ideas.",
    "Focus": "Keeping what fits the question best, each with a score and a reason.",
    "Synthesis": "Putting the answer together from what was kept, with a source for each sentence.",
    "Conclusion": "The answer of an agent that works step by step.",
    "key idea": "A part of the question that names something to look for.",
    "fact": "Something that a sentence says, as subject, relation and object; it keeps the place of its words.",
    "passage": "A piece of a document, a few sentences long, with its place.",
    "hop": "From one thing to another that stands in the same fact or passage.",
    "limit": "How far to look at most; the gear shows all limits.",
    "score": "How well something fits the question, from 0 to 1.",
    "support": "How well the quoted words support the answer, from 0 to 1.",
    "embedding": "A text as a list of numbers: texts of similar meaning have similar numbers, and can be compared.",
    "similarity": "How near two embeddings are: 1 is the same direction, 0 is unrelated.",
    "meaning": "Computers compare meanings as lists of numbers. Texts that mean the same have similar numbers.",
    "on record": "Written down as data before it is shown; it can be read back, played again and checked.",
    "agent": "Works on a question in several steps: it chooses what to look up, sees what came back, and goes on.",
    "tool": "What an agent can call: a search for facts or passages, or a function.",
}
