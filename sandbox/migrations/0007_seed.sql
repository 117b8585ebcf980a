-- Ids, secrets and codes follow the seed; without one they are random. The starts since the last reset are counted.
create table seed (
  single boolean primary key default true check (single),
  seed text,
  starts integer not null default 0
);
insert into seed default values;
