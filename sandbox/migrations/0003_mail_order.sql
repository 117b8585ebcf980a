-- The order of mails, also of those that were sent while the clock hardly moved.
alter table mail add column number bigint generated always as identity unique;
