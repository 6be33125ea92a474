-- Batches that the tables of minutes and checkpoints do not have yet, as src/journal.rs writes them.
-- They are merged into those and deleted each minute.
create table journal (
    batch integer primary key not null,
    content blob not null
) strict;
