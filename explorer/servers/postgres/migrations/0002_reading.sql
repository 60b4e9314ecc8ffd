-- Who is reading documents in, for those who ask meanwhile: as long as their writer's lease holds.
CREATE TABLE reading (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, writer bigint NOT NULL, who text,
    since timestamptz NOT NULL DEFAULT clock_timestamp()
);
