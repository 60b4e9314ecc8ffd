-- The tables of a library; each is made where it is missing.
CREATE TABLE IF NOT EXISTS contents (
    iri TEXT PRIMARY KEY, title TEXT NOT NULL, mime TEXT NOT NULL, data BLOB NOT NULL, sha256 TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
    number INTEGER PRIMARY KEY, iri TEXT UNIQUE NOT NULL, source TEXT NOT NULL, title TEXT NOT NULL,
    mime TEXT NOT NULL, text TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('writing', 'done'))
);
CREATE INDEX IF NOT EXISTS documents_listed ON documents (state, number, iri, source, title, mime);
CREATE TABLE IF NOT EXISTS stretches (
    number INTEGER PRIMARY KEY, document TEXT NOT NULL, start INTEGER NOT NULL, text TEXT NOT NULL, data BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS stretches_document ON stretches (document, start);
CREATE TABLE IF NOT EXISTS chunks (
    number INTEGER PRIMARY KEY, iri TEXT UNIQUE NOT NULL, document TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS chunks_document ON chunks (document);
CREATE VIRTUAL TABLE IF NOT EXISTS keywords USING fts5 (
    text, content='chunks', content_rowid='number', tokenize="porter unicode61 remove_diacritics 2"
);
CREATE TABLE IF NOT EXISTS sentences (
    number INTEGER PRIMARY KEY, chunk INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
    entities TEXT NOT NULL, vector BLOB
);
CREATE INDEX IF NOT EXISTS sentences_chunk ON sentences (chunk, start);
CREATE TRIGGER IF NOT EXISTS sentences_dropped AFTER DELETE ON chunks BEGIN
    DELETE FROM sentences WHERE chunk = old.number;
END;
CREATE TABLE IF NOT EXISTS places (
    chunk INTEGER PRIMARY KEY, number INTEGER, start INTEGER NOT NULL, part TEXT, page INTEGER, section TEXT,
    part_start INTEGER NOT NULL, agent TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS spans (
    subgraph TEXT PRIMARY KEY, chunk INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
    agent TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS spans_chunk ON spans (chunk);
CREATE TRIGGER IF NOT EXISTS spans_dropped AFTER DELETE ON chunks BEGIN
    DELETE FROM spans WHERE chunk = old.number;
END;
CREATE TRIGGER IF NOT EXISTS place_dropped AFTER DELETE ON chunks BEGIN
    DELETE FROM places WHERE chunk = old.number;
END;
CREATE TABLE IF NOT EXISTS vectors (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, document TEXT NOT NULL, chunk TEXT NOT NULL,
    text TEXT NOT NULL, vector BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS vectors_key ON vectors (kind, key);
CREATE VIRTUAL TABLE IF NOT EXISTS spoken USING fts5 (
    text, content='vectors', content_rowid='number', tokenize="porter unicode61 remove_diacritics 2"
);
CREATE TRIGGER IF NOT EXISTS chunk_dropped AFTER DELETE ON chunks BEGIN
    INSERT INTO keywords (keywords, rowid, text) VALUES ('delete', old.number, old.text);
END;
CREATE TRIGGER IF NOT EXISTS edge_dropped AFTER DELETE ON vectors WHEN old.kind = 'edge' BEGIN
    INSERT INTO spoken (spoken, rowid, text) VALUES ('delete', old.number, old.text);
END;
CREATE TABLE IF NOT EXISTS terms (number INTEGER PRIMARY KEY, iri TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS mentions (
    chunk INTEGER NOT NULL, term INTEGER NOT NULL, PRIMARY KEY (chunk, term)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS mentions_dropped AFTER DELETE ON chunks BEGIN
    DELETE FROM mentions WHERE chunk = old.number;
END;
CREATE TABLE IF NOT EXISTS links (fact INTEGER PRIMARY KEY, head INTEGER NOT NULL, tail INTEGER, chunk INTEGER);
CREATE INDEX IF NOT EXISTS links_chunk ON links (chunk);
CREATE TRIGGER IF NOT EXISTS link_dropped AFTER DELETE ON vectors WHEN old.kind = 'edge' BEGIN
    DELETE FROM links WHERE fact = old.number;
END;
CREATE INDEX IF NOT EXISTS vectors_kind ON vectors (kind);
CREATE TABLE IF NOT EXISTS tallies (
    name TEXT PRIMARY KEY, held INTEGER NOT NULL DEFAULT 0, last INTEGER NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS text_discounted AFTER DELETE ON chunks BEGIN
    UPDATE tallies SET held = held - 1, dropped = dropped + 1 WHERE name = 'text';
END;
CREATE TRIGGER IF NOT EXISTS vector_discounted AFTER DELETE ON vectors BEGIN
    UPDATE tallies SET held = held - 1, dropped = dropped + 1 WHERE name = old.kind;
END;
CREATE TRIGGER IF NOT EXISTS vector_changed AFTER UPDATE ON vectors BEGIN
    UPDATE tallies SET dropped = dropped + 1 WHERE name = old.kind;
END;
CREATE TABLE IF NOT EXISTS ledger (
    number INTEGER PRIMARY KEY, about TEXT NOT NULL, statement TEXT NOT NULL, seal TEXT NOT NULL,
    signature TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS ledger_about ON ledger (about);
CREATE TRIGGER IF NOT EXISTS ledger_unchanged BEFORE UPDATE ON ledger BEGIN
    SELECT RAISE(ABORT, 'entries of the ledger stay as they are');
END;
CREATE TRIGGER IF NOT EXISTS ledger_whole BEFORE DELETE ON ledger BEGIN
    SELECT RAISE(ABORT, 'entries of the ledger stay');
END;
CREATE TABLE IF NOT EXISTS sender_seals (
    about TEXT NOT NULL, statement TEXT NOT NULL, seal TEXT NOT NULL, signature TEXT NOT NULL, signers TEXT NOT NULL,
    UNIQUE (about, statement, signature, signers)
);
CREATE TABLE IF NOT EXISTS unsealed (
    about TEXT NOT NULL, kind TEXT NOT NULL, moment TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (about, kind)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS extracted (
    document TEXT NOT NULL, extractor TEXT NOT NULL, PRIMARY KEY (document, extractor)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS asked (
    chunk INTEGER NOT NULL, extractor TEXT NOT NULL, replies TEXT, PRIMARY KEY (chunk, extractor)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS asked_dropped AFTER DELETE ON chunks BEGIN
    DELETE FROM asked WHERE chunk = old.number;
END;
CREATE TRIGGER IF NOT EXISTS extracted_dropped AFTER DELETE ON documents BEGIN
    DELETE FROM extracted WHERE document = old.iri;
    DELETE FROM acts WHERE kind = 'again' AND about = old.iri;
END;
CREATE TABLE IF NOT EXISTS acts (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, about TEXT NOT NULL, told TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS standing (
    place TEXT PRIMARY KEY, document TEXT NOT NULL, before TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS standing_document ON standing (document);
CREATE TABLE IF NOT EXISTS replaced (
    iri TEXT PRIMARY KEY, source TEXT NOT NULL, title TEXT NOT NULL, mime TEXT NOT NULL, text TEXT NOT NULL,
    newer TEXT NOT NULL, moment TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS enclosed (
    iri TEXT PRIMARY KEY, source TEXT NOT NULL, text TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS merged (
    number INTEGER PRIMARY KEY, alias TEXT UNIQUE NOT NULL, entity TEXT NOT NULL, name TEXT
);
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS listing (
    iri TEXT PRIMARY KEY, engine TEXT NOT NULL, reasoner TEXT NOT NULL, question TEXT NOT NULL,
    started_at TEXT NOT NULL, reason TEXT, answer TEXT NOT NULL DEFAULT '', kept INTEGER,
    failed INTEGER NOT NULL DEFAULT 0, pattern TEXT
) WITHOUT ROWID;
