import tls from 'node:tls'
import type pg from 'pg'
import { z } from 'zod'
import { readLastBackup } from '#lib/operations/restore/restore-state.ts'
import { mayChangeAudit } from '#lib/platform/db/application-role.ts'
import {
  checkDatabases,
  checkDurability,
  hearsNotifications,
  requireMayMigrate,
} from '#lib/platform/db/check-databases.ts'
import { closeConnection, connect } from '#lib/platform/db/connect.ts'
import { listPendingMigrations } from '#lib/platform/db/migrate.ts'
import { isDirect } from '#lib/platform/db/statements.ts'
import { readDatabaseAddress } from '#lib/platform/env/database-address.ts'
import { env } from '#lib/platform/env.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { formatPlainDuration } from '../../lib/words/labels/duration.ts'
import type { ServerSettings } from './database-address.ts'

export async function checkDatabase(
  { isStopped, dataDir, connections }: ServerSettings,
  pool: pg.Pool,
): Promise<Finding[]> {
  if (isStopped)
    return [failure(`The embedded database in ${dataDir} does not run.`, 'Start Rampart: npm run serve')]
  const { databaseUrl, databaseDirectUrl, databaseMigrateUrl, databaseReadUrl } = env()
  const addresses = {
    DATABASE_URL: databaseUrl,
    DATABASE_DIRECT_URL: databaseDirectUrl,
    DATABASE_MIGRATE_URL: databaseMigrateUrl,
    DATABASE_READ_URL: databaseReadUrl,
  }
  const warnings: Finding[] = []
  const places = await checkDatabases(addresses, (line) => warnings.push(warning(line)), connections)
  const { rows } = await pool.query<{ version: string; name: string; number: number }>(VERSION)
  const { version = '', name = '', number = 0 } = rows[0] ?? {}
  const given = new Set(Object.values(addresses)).size
  const all = given === 1 ? 'One address leads' : `${given} addresses lead`
  const room = Number.isFinite(places) ? ` It has ${places} places for connections.` : ''
  const found = `${all} to the database ${name} of PostgreSQL ${version}.${room}`
  return [
    number < oldestVersion
      ? warning(found, 'Rampart is tested with PostgreSQL 15 to 18: upgrade.')
      : ok(found),
    ...warnings,
  ]
}

const VERSION = `
  SELECT split_part(current_setting('server_version'), ' ', 1) AS version, current_database()::text AS name,
         current_setting('server_version_num')::int AS number`

/** This is PostgreSQL's own number of version 15, the oldest that our tests use. */
const oldestVersion = 150_000

export async function checkTls(): Promise<Finding[]> {
  const { databaseUrl, databaseDirectUrl, databaseMigrateUrl } = env()
  const addresses = {
    DATABASE_URL: databaseUrl,
    DATABASE_DIRECT_URL: databaseDirectUrl,
    DATABASE_MIGRATE_URL: databaseMigrateUrl,
  }
  const findings = new Map<string, Finding>()
  for (const [variable, url] of Object.entries(addresses)) {
    const place = placeOf(url)
    if (findings.has(place)) continue
    const client = await connect(url, 'rampart doctor', 5_000)
    const socket = SocketSchema.safeParse(client).data?.connection.stream ?? null
    // A closed socket has no certificate any more.
    findings.set(place, judgeTls(variable, place, socket))
    await closeConnection(client)
  }
  return [...findings.values()]
}

/** node-postgres keeps its socket here. */
const SocketSchema = z.object({ connection: z.object({ stream: z.instanceof(tls.TLSSocket) }) })

function placeOf(url: string): string {
  const read = readDatabaseAddress(url)
  return read?.searchParams.get('host') || read?.host || 'a socket of this machine'
}

function judgeTls(variable: string, place: string, socket: tls.TLSSocket | null): Finding {
  if (!socket) return ok(`${place} is on this machine, and needs no TLS.`)
  const found = `The connection to ${place} has ${socket.getProtocol() ?? 'TLS'}`
  if (!socket.authorized)
    return warning(
      `${found}, and nobody checks its certificate.`,
      `Write sslmode=verify-full into ${variable}, and name an authority of your own by sslrootcert.`,
    )
  const validTo = socket.getPeerCertificate().valid_to
  return judgeExpiry(`${found}, and a certificate that was checked`, Date.parse(validTo))
}

export async function checkRoles(pool: pg.Pool): Promise<Finding[]> {
  const { databaseMigrateUrl, isDurabilityAssured } = env()
  const { rows } = await pool.query<RoleRow>(ROLE)
  const { role = '', is_superuser: isSuperuser = false, tables = 0, without = null } = rows[0] ?? {}
  const findings = [
    isSuperuser
      ? warning(
          `The role ${role} of DATABASE_URL is a superuser.`,
          'Give Rampart a role of its own: docs/configure.md, “The database”.',
        )
      : ok(`The role ${role} of DATABASE_URL is no superuser.`),
  ]
  if (without !== null)
    findings.push(
      failure(
        `The role ${role} may not read and write the table ${without}.`,
        'Start Rampart with DATABASE_MIGRATE_URL: each start grants these rights.',
      ),
    )
  if (tables > 0 && (await mayChangeAudit(pool)))
    findings.push(
      warning(
        `The role ${role} could change the audit.`,
        'Give DATABASE_MIGRATE_URL another role, which owns the tables: docs/configure.md.',
      ),
    )
  else if (tables > 0) findings.push(ok('It can add to the audit, and change nothing in it.'))
  for (const check of [
    () => requireMayMigrate(databaseMigrateUrl),
    () => checkDurability(pool, isDurabilityAssured),
  ])
    findings.push(...(await faultOf(check)))
  return findings
}

interface RoleRow {
  readonly role: string
  readonly is_superuser: boolean
  readonly tables: number
  readonly without: string | null
}

const ROLE = `
  WITH ours AS (
    SELECT oid, relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
  )
  SELECT current_user::text AS role, current_setting('is_superuser') = 'on' AS is_superuser,
         (SELECT count(*)::int FROM ours) AS tables,
         (SELECT min(name) FROM ours WHERE NOT has_table_privilege(oid, 'SELECT')
            OR name NOT IN ('audit_link', '_prisma_migrations') AND NOT has_table_privilege(oid, 'INSERT')) AS without`

/** The line of an `OperatorError` says what to do. */
async function faultOf(check: () => Promise<void>): Promise<Finding[]> {
  try {
    await check()
    return []
  } catch (error) {
    if (error instanceof OperatorError) return [failure(error.message)]
    throw error
  }
}

export async function checkPooler(pool: pg.Pool): Promise<Finding[]> {
  const { databaseUrl, databaseDirectUrl } = env()
  const isPooled = await leadsThroughPooler(databaseUrl)
  const hears = await hearsNotifications(pool, databaseDirectUrl)
  const way = !isPooled
    ? 'DATABASE_URL leads to PostgreSQL without a pooler'
    : hears && databaseUrl === databaseDirectUrl
      ? 'DATABASE_URL leads through a pooler in session mode'
      : 'DATABASE_URL leads through a pooler'
  if (hears) return [ok(`${way}. A notification (LISTEN) arrived at DATABASE_DIRECT_URL.`)]
  return [
    failure(
      `${way}. No notification (LISTEN) arrived at DATABASE_DIRECT_URL: news come seconds late, and another API key is not taken over.`,
      'Give DATABASE_DIRECT_URL an address of the database past the pooler.',
    ),
  ]
}

async function leadsThroughPooler(url: string): Promise<boolean> {
  const client = await connect(url, 'rampart doctor', 5_000)
  try {
    return !isDirect(client)
  } finally {
    await closeConnection(client)
  }
}

export async function checkMigrations(): Promise<Finding[]> {
  const client = await connect(env().databaseUrl, 'rampart doctor', 5_000)
  try {
    const pending = await listPendingMigrations(client)
    const [first] = pending
    if (!first) return [ok('Every migration of this version is applied.')]
    const found = `${pending.length} migrations of this version are not applied yet, the first is ${first.name}.`
    return [
      pending.every(({ concurrently }) => concurrently)
        ? warning(found, 'They make indexes while Rampart runs. Wait, and read maintenance.log.')
        : failure(found, 'Start this version of Rampart: each start applies them.'),
    ]
  } finally {
    await closeConnection(client)
  }
}

/** A nightly backup is at most so many hours old, with an hour for its work. */
const backupHours = { warning: 25, failure: 7 * 24 }

export async function checkBackup({ isEmbedded }: ServerSettings, pool: pg.Pool): Promise<Finding[]> {
  if (env().sandboxUrl && isEmbedded) return [skipped('The database holds only what the sandbox made.')]
  const how = isEmbedded
    ? 'Make one: npm run rampart backup FOLDER'
    : 'Let the script that makes backups say so each time: npm run rampart backed-up'
  const last = await readLastBackup(pool)
  const archived = isEmbedded ? [] : await checkArchive(pool)
  if (!last)
    return archived.length > 0
      ? archived
      : [warning('Rampart knows of no backup of its database.', `${how}. docs/backup.md has the steps.`)]
  const hours = (Date.now() - Date.parse(last.madeAt)) / 3_600_000
  const found = `The last backup that Rampart knows of is ${formatPlainDuration(hours * 3_600)} old.`
  const judged =
    hours > backupHours.failure
      ? failure(found, how)
      : hours > backupHours.warning
        ? warning(found, how)
        : ok(found)
  return [judged, ...archived]
}

/** PostgreSQL knows whether its log is archived, as pgBackRest and WAL-G do. */
async function checkArchive(pool: pg.Pool): Promise<Finding[]> {
  const { rows } = await pool.query<Archive>(ARCHIVER)
  return rows[0] ? judgeArchive(rows[0]) : []
}

interface Archive {
  /** `archive_mode` is on. PostgreSQL keeps the two times after it was switched off. */
  readonly archives: boolean
  readonly archived: Date | null
  readonly failed: Date | null
  /** A file of the log is complete and not archived. */
  readonly waits: boolean
}

/**
 * Without `archive_timeout`, a quiet database may need days for a file, and nothing is to be archived meanwhile. The age alone is
 * therefore no fault: a complete file must wait too.
 */
export function judgeArchive({ archives, archived, failed, waits }: Archive): Finding[] {
  if (!archives) return []
  if (failed !== null && (archived === null || failed > archived))
    return [
      failure(
        `PostgreSQL could not archive its log: it failed last at ${failed.toISOString()}.`,
        'Look at archive_command and at its target.',
      ),
    ]
  if (archived === null) return []
  const found = `PostgreSQL archived its log last at ${archived.toISOString()}`
  return waits && Date.now() - archived.getTime() > backupHours.warning * 3_600_000
    ? [warning(`${found}, and more of it waits.`, 'Look at archive_command, at its target, and at the disk.')]
    : [ok(`${found}.`)]
}

/** The file before the one that is written now is complete. The names of files begin with their timeline. */
const ARCHIVER = `
  SELECT current_setting('archive_mode') <> 'off' AS archives, last_archived_time AS archived, last_failed_time AS failed,
         CASE WHEN last_archived_wal IS NULL OR last_archived_wal LIKE '%.history' OR current_setting('archive_mode') = 'off' OR pg_is_in_recovery() THEN false
         ELSE substr(pg_walfile_name(pg_current_wal_lsn() - pg_size_bytes(current_setting('wal_segment_size'))::numeric), 9)
           > substr(last_archived_wal, 9, 16) COLLATE "C" END AS waits
  FROM pg_stat_archiver`

/** `skipped` says that something is not set up, or could not be checked because of an earlier failure. */
export type FindingState = 'ok' | 'warning' | 'failure' | 'skipped'

export interface Finding {
  readonly state: FindingState
  /** `found` says what was checked, and how it is. */
  readonly found: string
  /** `todo` is null where nothing is to be done, or where `found` says it. */
  readonly todo: string | null
}

export const ok = (found: string): Finding => ({ state: 'ok', found, todo: null })
export const skipped = (found: string): Finding => ({ state: 'skipped', found, todo: null })
export const warning = (found: string, todo: string | null = null): Finding => ({
  state: 'warning',
  found,
  todo,
})
export const failure = (found: string, todo: string | null = null): Finding => ({
  state: 'failure',
  found,
  todo,
})

/** Most certificates are renewed weeks before they end. */
const certificateDays = { warning: 14, failure: 3 }

export function judgeExpiry(found: string, validTo: number): Finding {
  const days = Math.floor((validTo - Date.now()) / dayMs)
  const line = `${found}; it is valid until ${new Date(validTo).toISOString().slice(0, 10)}.`
  const todo = 'Renew the certificate, and find out why that did not happen by itself.'
  if (days < certificateDays.failure) return failure(line, todo)
  return days < certificateDays.warning ? warning(line, todo) : ok(line)
}

const dayMs = 86_400_000
