create table account (
  uuid uuid primary key,
  email text not null,
  target_address text,
  first_name text not null,
  last_name text not null,
  date_of_birth date,
  phone text,
  country text not null,
  status text not null,
  created_at timestamptz not null
);
create unique index account_email on account (lower(email));
create unique index account_target_address on account (lower(target_address));

create table session (
  digest bytea primary key,
  user_uuid uuid not null references account on delete cascade,
  expires_at timestamptz not null
);

create table one_time_password (
  user_uuid uuid primary key references account on delete cascade,
  code text not null,
  wrong_guesses integer not null default 0,
  expires_at timestamptz not null
);

create table used_nonce (
  nonce text primary key,
  used_at timestamptz not null
);

create table mail (
  id uuid primary key,
  user_uuid uuid not null references account on delete cascade,
  email text not null,
  code text not null,
  sent_at timestamptz not null,
  bounced boolean not null default false
);
create index mail_by_user on mail (user_uuid, sent_at);
create index mail_by_email on mail (lower(email), sent_at);

create table webhook_endpoint (
  uuid uuid primary key,
  url text not null,
  description text not null check (char_length(description) <= 255),
  subscribed_events text[],
  status text not null check (status in ('active', 'disabled', 'auto_disabled')),
  signing_secret text not null,
  lost_in_a_row integer not null default 0,
  created_at timestamptz not null
);

create table play (
  id uuid primary key,
  scenario text not null,
  user_uuid uuid not null,
  transaction_uuid uuid,
  events integer not null,
  started_at timestamptz not null
);

create table event (
  id uuid primary key,
  type text not null,
  sub_type text not null,
  body text not null,
  created_at timestamptz not null
);

create table delivery (
  id uuid primary key,
  event_id uuid not null references event on delete cascade,
  endpoint_uuid uuid not null references webhook_endpoint on delete cascade,
  state text not null check (state in ('waiting', 'delivered', 'lost', 'stopped')),
  attempts smallint not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null
);
create index delivery_waiting on delivery (endpoint_uuid, due_at, id) where state = 'waiting';
create index delivery_by_endpoint on delivery (endpoint_uuid, created_at desc, id desc);
create index delivery_by_event on delivery (event_id);

create table attempt (
  delivery_id uuid not null references delivery on delete cascade,
  number smallint not null check (number between 1 and 7),
  url text not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status integer,
  answer text,
  failure text,
  primary key (delivery_id, number)
);
