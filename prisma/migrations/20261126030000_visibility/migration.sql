-- What is entered into the audit once a minute for each person and thing, counted until the minute is over.
CREATE TABLE audit_counter (
  minute timestamptz(3) NOT NULL,
  actor text NOT NULL,
  actor_role text NOT NULL,
  action text NOT NULL,
  target text NOT NULL,
  outcome text NOT NULL,
  session_id uuid NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (minute, actor, action, target)
);

-- What was searched for, behind an id that a link carries in its place.
CREATE TABLE search_link (
  id uuid PRIMARY KEY,
  digest bytea NOT NULL UNIQUE,
  sealed bytea NOT NULL,
  key_id text NOT NULL,
  made_by text NOT NULL,
  made_at timestamptz(3) NOT NULL DEFAULT now()
);
