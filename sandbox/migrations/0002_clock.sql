-- What the sandbox's clock showed when the machine's showed real_at, and how fast it runs from there on.
create table clock (
  single boolean primary key default true check (single),
  sandbox_at timestamptz not null,
  real_at timestamptz not null,
  speed numeric not null check (speed > 0)
);
insert into clock (sandbox_at, real_at, speed)
select now, now, 1 from date_trunc('milliseconds', now()) as now;

-- When the machine's clock will show what the sandbox's calls `moment`, rounded up to a millisecond, so that it is
-- never too early. Whoever asks holds the clock until its transaction ends: a change of the clock sees its job.
create function real_time_of(moment timestamptz) returns timestamptz language sql volatile as $$
  select real_at + ceil(extract(epoch from moment - sandbox_at) / speed * 1000) * interval '1 millisecond'
  from clock for share
$$;

-- One row per code: whether older ones stay valid is an option.
alter table one_time_password drop constraint one_time_password_pkey;
alter table one_time_password add column id bigint generated always as identity primary key;
create index one_time_password_by_user on one_time_password (user_uuid);
