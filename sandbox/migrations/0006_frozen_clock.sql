alter table clock add column frozen boolean not null default false;

-- A frozen clock parks what is not due yet a thousand years away, as far from there as from the clock, so that it neither
-- runs nor forgets its time. Hours, because days differ in length where a zone has summer time.
create or replace function real_time_of(moment timestamptz) returns timestamptz language sql volatile as $$
  select real_at + case
    when not frozen then ceil(extract(epoch from moment - sandbox_at) / speed * 1000) * interval '1 millisecond'
    when moment <= sandbox_at then interval '0'
    else extract(epoch from moment - sandbox_at) * interval '1 second' + interval '8760000 hours'
  end
  from clock for share
$$;

-- The other way round: what the sandbox's clock shows when the machine's shows `moment`, in whole milliseconds.
create function sandbox_time_of(moment timestamptz) returns timestamptz language sql stable as $$
  select sandbox_at + case
    when not frozen then floor(extract(epoch from moment - real_at) * speed * 1000) * interval '1 millisecond'
    when moment < real_at + interval '4380000 hours' then interval '0'
    else extract(epoch from moment - interval '8760000 hours' - real_at) * interval '1 second'
  end
  from clock
$$;

-- The order in which things were made, also while the clock stood still or was set back.
alter table account add column number bigint generated always as identity unique;
alter table webhook_endpoint add column number bigint generated always as identity unique;
alter table play add column number bigint generated always as identity unique;
alter table delivery add column number bigint generated always as identity;
drop index delivery_waiting, delivery_by_endpoint;
create index delivery_waiting on delivery (endpoint_uuid, due_at, number) where state = 'waiting';
create index delivery_by_endpoint on delivery (endpoint_uuid, number desc);
