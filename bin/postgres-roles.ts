import pg from 'pg'
import type { Secrets } from './data-directory.ts'
import type { Login, Postgres } from './postgres.ts'

/** These roles work on the embedded database. None of them is a superuser. */
export const logins = (secrets: Secrets) =>
  ({
    /** The owner has the dashboard's tables, for migrations and for the months of the delivery log. */
    owner: { user: 'rampart_owner', password: secrets.ownerPassword },
    /** The application reads and writes rows, and only adds to the audit. */
    application: { user: 'rampart_app', password: secrets.applicationPassword },
    /** The sandbox owns its own database, and cannot connect to the dashboard's. */
    sandbox: { user: 'rampart_sandbox', password: secrets.sandboxPassword },
  }) as const satisfies Record<string, Login>

/**
 * The function creates both databases and their roles where they are missing. Databases of older versions, where the
 * superuser owned everything, are handed over with their content.
 */
export async function prepareDatabases(postgres: Postgres, secrets: Secrets): Promise<void> {
  const { owner, application, sandbox } = logins(secrets)
  await asSuperuser(postgres, 'postgres', async (admin) => {
    for (const login of [owner, application, sandbox]) await makeRole(admin, login)
    // The owner may see what the application's connections do, to find who holds the lock that a migration waits for.
    await admin.query(`GRANT ${application.user} TO ${owner.user}`)
  })
  await prepareDatabase(postgres, 'rampart', owner.user)
  await prepareDatabase(postgres, 'sandbox', sandbox.user)
  await asSuperuser(postgres, 'postgres', (admin) =>
    admin.query(`GRANT CONNECT ON DATABASE rampart TO ${application.user}`),
  )
}

async function makeRole(admin: pg.Client, { user, password }: Login) {
  const { rowCount } = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [user])
  await admin.query(
    `${rowCount === 0 ? 'CREATE' : 'ALTER'} ROLE ${user} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION
     PASSWORD ${pg.escapeLiteral(password)}`,
  )
  for (const [setting, value] of Object.entries(logSettings))
    await admin.query(`ALTER ROLE ${user} SET ${setting} = ${value}`)
}

/**
 * The sender of a statement gets its error, and our own log reports it without values. PostgreSQL's log would quote them:
 * the key of an existing row, a text that is no uuid, the statement.
 */
const logSettings = { log_min_messages: 'log', log_min_error_statement: 'panic' }

/** The database changes its owner only after everything in it, so an interrupted start continues here. */
async function prepareDatabase(postgres: Postgres, name: string, owner: string) {
  const known = await asSuperuser(postgres, 'postgres', async (admin) => {
    const { rows } = await admin.query<{ owner: string }>(
      'SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = $1',
      [name],
    )
    if (!rows[0]) await admin.query(`CREATE DATABASE ${name} OWNER ${owner}`)
    return rows[0]?.owner ?? owner
  })
  if (known !== owner) await asSuperuser(postgres, name, (admin) => handOver(admin, owner))
  await asSuperuser(postgres, 'postgres', async (admin) => {
    if (known !== owner) await admin.query(`ALTER DATABASE ${name} OWNER TO ${owner}`)
    await admin.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`)
  })
}

/** `REASSIGN OWNED` refuses what the cluster's first superuser owns, so each object is named. */
async function handOver(admin: pg.Client, owner: string) {
  const { rows } = await admin.query<{ statement: string }>(OWNED, [owner])
  await admin.query('BEGIN')
  for (const { statement } of rows) await admin.query(statement)
  await admin.query('COMMIT')
}

/** Indexes, sequences of columns and types of tables follow their tables. */
const OWNED = `
  WITH ours AS (
    SELECT oid, nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
  )
  SELECT format('ALTER SCHEMA %I OWNER TO %I', nspname, $1::text) AS statement FROM ours WHERE nspname <> 'public'
  UNION ALL
  SELECT format('ALTER %s %I.%I OWNER TO %I',
                CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
                             WHEN 'c' THEN 'TYPE' ELSE 'TABLE' END,
                nspname, relname, $1::text)
  FROM pg_class JOIN ours ON ours.oid = relnamespace
  WHERE relkind IN ('r', 'p', 'v', 'm', 'S', 'c')
    AND NOT (relkind = 'S' AND EXISTS (
      SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype IN ('a', 'i')))
  UNION ALL
  SELECT format('ALTER ROUTINE %s OWNER TO %I', pg_proc.oid::regprocedure, $1::text)
  FROM pg_proc JOIN ours ON ours.oid = pronamespace
  UNION ALL
  SELECT format('ALTER TYPE %I.%I OWNER TO %I', nspname, typname, $1::text)
  FROM pg_type JOIN ours ON ours.oid = typnamespace WHERE typtype IN ('e', 'd')`

async function asSuperuser<T>(
  postgres: Postgres,
  database: string,
  work: (admin: pg.Client) => Promise<T>,
): Promise<T> {
  const admin = new pg.Client({ connectionString: postgres.url(database) })
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}
