-- The database says when an entry of the audit was written, and when one goes. The application says only that it is one of those
-- that go: anybody can cause these. Whoever owns the table could change it in any way, and gives times of before.
CREATE FUNCTION "date_audit_entry"() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
    NEW."at" := clock_timestamp();
    NEW."expires_at" := CASE
      WHEN NEW."expires_at" IS NOT NULL AND NEW."outcome" = 'refused'
           AND NEW."action" IN ('session.start', 'link.open', 'access.denied')
      THEN NEW."at" + interval '90 days' END;
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER "audit_dated" BEFORE INSERT ON "audit"
FOR EACH ROW EXECUTE FUNCTION "date_audit_entry"();
