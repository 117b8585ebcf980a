-- Whose data was read, so that the audit leads from a person to who read it. Null while nobody is known, and in older rows.
ALTER TABLE "audit_counter" ADD COLUMN "person" TEXT;
