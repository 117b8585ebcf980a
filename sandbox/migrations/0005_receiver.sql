-- What plays the merchant's own backend: what it answers, the secrets that it was given, and what came.
create table receiver (
  single boolean primary key default true check (single),
  status integer not null default 200
);
insert into receiver default values;
create table receiver_secret (
  id bigint generated always as identity primary key,
  secret text not null unique
);
create table received (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  secret text not null check (secret in ('right', 'wrong', 'unchecked')),
  status integer not null,
  body text not null
);

-- The events of a play in their order, of which those that were sent stand in event.
alter table play add column event_ids uuid[] not null default '{}';
