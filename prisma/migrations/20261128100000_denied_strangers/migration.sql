-- What was denied to somebody who is not signed in: there is no session, and the actor is ''.
ALTER TABLE audit_counter ALTER COLUMN session_id DROP NOT NULL;
