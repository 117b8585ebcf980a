-- Addresses that differ in case only are two people's.
drop index account_email;
create unique index account_email on account (email);
create index account_email_any_case on account (lower(email));
