import 'server-only'
import type pg from 'pg'
import { OperatorError } from '../operator-error.ts'
import { closeConnection, connect } from './connect.ts'
import { advisoryLocks } from './locks.ts'

/** The owner of the migrations cannot grant the rights that the application needs. */
export class RoleError extends OperatorError {}

/**
 * `grantToApplication` grants the application's role its rights on tables that another role owns: all rows of every table,
 * but on the audit only to read, add, and remove reasons. It does nothing when one role does both. It throws `RoleError`.
 */
export async function grantToApplication(ownerUrl: string, application: pg.Pool): Promise<void> {
  const { rows } = await application.query<{ role: string }>('SELECT current_user AS role')
  const role = rows[0]?.role ?? ''
  const owner = await connect(ownerUrl, 'rampart roles', 60_000)
  try {
    const { rows: found } = await owner.query<{ own: string; others: string | null }>(OWNERS)
    const { own = '', others = null } = found[0] ?? {}
    if (own === role) return
    if (others !== null)
      throw new RoleError(
        `DATABASE_MIGRATE_URL: ${own} does not own the tables, ${others} does. Hand them over once, as a superuser in that database: REASSIGN OWNED BY "${others}" TO "${own}"; ALTER DATABASE … OWNER TO "${own}"`,
      )
    await owner.query('BEGIN')
    await owner.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.migrations])
    for (const statement of grants(owner.escapeIdentifier(role))) await owner.query(statement)
    await owner.query('COMMIT')
  } finally {
    await closeConnection(owner)
  }
}

/** The query reads the current role, and another role that owns tables. */
const OWNERS = `
  SELECT current_user AS own,
         (SELECT min(tableowner) FROM pg_tables WHERE schemaname = 'public'
            AND NOT pg_has_role(current_user, tableowner, 'MEMBER')) AS others`

const grants = (role: string) => [
  `GRANT USAGE ON SCHEMA public TO ${role}`,
  `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
  `GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
  // These rights also cover tables that are created later, such as months of the log.
  `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role}`,
  `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO ${role}`,
  `REVOKE UPDATE, DELETE, TRUNCATE ON audit, audit_reason FROM ${role}`,
  `REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON audit_link, _prisma_migrations FROM ${role}`,
  `GRANT EXECUTE ON FUNCTION expire_audit(int), erase_audit_reasons(uuid[]) TO ${role}`,
]

/** `mayChangeAudit` is true when the application's role owns the audit, has rights to change it, or is a superuser. */
export async function mayChangeAudit(application: pg.Pool): Promise<boolean> {
  const { rows } = await application.query<{ may: boolean }>(MAY_CHANGE)
  return rows[0]?.may ?? true
}

const MAY_CHANGE = `
  SELECT bool_or(has_table_privilege(name, 'UPDATE') OR has_table_privilege(name, 'DELETE')
                 OR has_table_privilege(name, 'TRUNCATE') OR has_table_privilege(name, 'TRIGGER'))
         OR has_table_privilege('audit_link', 'INSERT') AS may
  FROM unnest(ARRAY['audit', 'audit_link', 'audit_reason']) AS name`
