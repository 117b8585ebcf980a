import fs from 'node:fs'
import path from 'node:path'
import tls from 'node:tls'
import type pg from 'pg'
import { z } from 'zod'
import { judgePublicAddress, type PublicAddressCheck } from '#lib/endpoints/check-public-address.ts'
import { serviceFault } from '#lib/endpoints/service-key/service-state.ts'
import { fingerprint, readStoredApiKey } from '#lib/endpoints/service-key/stored-api-key.ts'
import { countProviderKeys, providerFault } from '#lib/identity/single-sign-on/provider.ts'
import { readLastBackup } from '#lib/operations/restore/last-backup.ts'
import { readOperatorStatus } from '#lib/operations/status/operator-status.ts'
import { mayChangeAudit } from '#lib/platform/db/application-role.ts'
import { checkDatabases, hearsNotifications, requireMayMigrate } from '#lib/platform/db/check-databases.ts'
import { checkDurability } from '#lib/platform/db/check-durability.ts'
import { closeConnection, connect } from '#lib/platform/db/connect.ts'
import { listPendingMigrations } from '#lib/platform/db/migrate.ts'
import { isDirect } from '#lib/platform/db/plan-once.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { isSameService, serviceKey } from '#lib/platform/db/which-database.ts'
import { env } from '#lib/platform/env.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { mailServerFault } from '#lib/platform/mail/hand-over.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { readSettingRow } from '#lib/platform/settings/settings.ts'
import { apiKeyInForce, serviceClient, setApiKey } from '#lib/service/service-client.ts'
import { headUrlFault } from '../../lib/audit/heads.ts'
import { readDatabaseAddress } from '../../lib/platform/env.ts'
import { formatBytes } from '../../lib/words/labels/bytes.ts'
import { formatPlainDuration } from '../../lib/words/labels/duration.ts'
import { findCluster } from '../cluster.ts'
import type { ServerSettings } from './server-settings.ts'

/** `skipped` says that something is not set up, or could not be checked because of an earlier failure. */
export type FindingState = 'ok' | 'warning' | 'failure' | 'skipped'

export interface Finding {
  readonly state: FindingState
  /** `found` says what was checked, and how it is. */
  readonly found: string
  /** `todo` is null where nothing is to be done, or where `found` says it. */
  readonly todo: string | null
}

/** A check only reads. It may throw: an `OperatorError` says what to do. */
export interface Check {
  readonly name: string
  readonly limitMs?: number
  run(): Promise<Finding[]>
}

const ok = (found: string): Finding => ({ state: 'ok', found, todo: null })
const skipped = (found: string): Finding => ({ state: 'skipped', found, todo: null })
const warning = (found: string, todo: string | null = null): Finding => ({ state: 'warning', found, todo })
const failure = (found: string, todo: string | null = null): Finding => ({ state: 'failure', found, todo })

/** All checks run at the same time, and are reported in this order. `env()` can be read. */
export function checksOf(settings: ServerSettings): readonly Check[] {
  const pool = openPool(env().databaseUrl, 3, 5_000)
  // The database is a failure of its own, and not one of each check that needs it.
  const reached = pool.query('SELECT').then(
    () => true,
    () => false,
  )
  const needsDatabase = (name: string, run: (pool: pg.Pool) => Promise<Finding[]>): Check => ({
    name,
    run: async () =>
      (await reached) ? run(pool) : [skipped('Not checked, because the database does not answer.')],
  })
  return [
    { name: 'database', run: () => checkDatabase(settings, pool) },
    needsDatabase('tls', checkTls),
    needsDatabase('roles', checkRoles),
    needsDatabase('pooler', checkPooler),
    needsDatabase('migrations', checkMigrations),
    { name: 'service', run: () => checkService(pool, reached) },
    { name: 'clock', run: () => checkClocks(pool, reached) },
    { name: 'public-address', run: () => checkPublicAddress(pool, reached) },
    { name: 'certificate', run: checkCertificate },
    { name: 'mail', run: checkMail },
    { name: 'single-sign-on', run: checkSingleSignOn },
    { name: 'audit-heads', run: checkAuditHeads },
    { name: 'disk', run: () => checkDisk(settings, pool, reached) },
    needsDatabase('backup', (database) => checkBackup(settings, database)),
    needsDatabase('status', checkStatus),
  ]
}

async function checkDatabase({ isStopped, dataDir }: ServerSettings, pool: pg.Pool): Promise<Finding[]> {
  if (isStopped)
    return [failure(`The embedded database in ${dataDir} does not run.`, 'Start Rampart: npm run serve')]
  const { databaseUrl, databaseDirectUrl, databaseMigrateUrl, databaseReadUrl, databaseConnections } = env()
  const addresses = {
    DATABASE_URL: databaseUrl,
    DATABASE_DIRECT_URL: databaseDirectUrl,
    DATABASE_MIGRATE_URL: databaseMigrateUrl,
    DATABASE_READ_URL: databaseReadUrl,
  }
  const warnings: Finding[] = []
  const places = await checkDatabases(addresses, (line) => warnings.push(warning(line)), databaseConnections)
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

async function checkTls(): Promise<Finding[]> {
  const { databaseUrl, databaseDirectUrl, databaseMigrateUrl } = env()
  const addresses = {
    DATABASE_URL: databaseUrl,
    DATABASE_DIRECT_URL: databaseDirectUrl,
    DATABASE_MIGRATE_URL: databaseMigrateUrl,
  }
  const findings = new Map<string, Finding>()
  for (const [variable, url] of Object.entries(addresses)) {
    const client = await connect(url, 'rampart doctor', 5_000)
    const socket = SocketSchema.safeParse(client).data?.connection.stream ?? null
    await closeConnection(client)
    const place = placeOf(url)
    if (!findings.has(place)) findings.set(place, judgeTls(variable, place, socket))
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

/** Most certificates are renewed weeks before they end. */
const certificateDays = { warning: 14, failure: 3 }

function judgeExpiry(found: string, validTo: number): Finding {
  const days = Math.floor((validTo - Date.now()) / dayMs)
  const line = `${found}; it is valid until ${new Date(validTo).toISOString().slice(0, 10)}.`
  const todo = 'Renew the certificate, and find out why that did not happen by itself.'
  if (days < certificateDays.failure) return failure(line, todo)
  return days < certificateDays.warning ? warning(line, todo) : ok(line)
}

const dayMs = 86_400_000

async function checkRoles(pool: pg.Pool): Promise<Finding[]> {
  const { databaseMigrateUrl, isDurabilityAssured } = env()
  const { rows } = await pool.query<RoleRow>(ROLE)
  const { role = '', is_superuser: isSuperuser = false, tables = 0, without = null } = rows[0] ?? {}
  const findings = [
    isSuperuser
      ? warning(
          `The role ${role} of DATABASE_URL is a superuser.`,
          'Give Rampart a role of its own: docs/operating.md, “A database of your own”.',
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
        'Give DATABASE_MIGRATE_URL another role, which owns the tables: docs/operating.md.',
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

async function checkPooler(pool: pg.Pool): Promise<Finding[]> {
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

async function checkMigrations(): Promise<Finding[]> {
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

async function checkService(pool: pg.Pool, reached: Promise<boolean>): Promise<Finding[]> {
  const { serviceApiKey, serviceBaseUrl, sandboxUrl } = env()
  const hasDatabase = await reached
  const stored = hasDatabase ? await readStoredApiKey(pool, serviceApiKey) : null
  setApiKey(stored)
  const from = stored === null ? 'SERVICE_API_KEY' : 'the page Settings or a command'
  const began = performance.now()
  const fault = await serviceFault()
  const ms = Math.round(performance.now() - began)
  const findings = [
    fault === null
      ? ok(
          `The service at ${serviceBaseUrl.href} answered within ${ms} ms and takes the key ${fingerprint(apiKeyInForce())} of ${from}.`,
        )
      : failure(fault),
  ]
  const bound = hasDatabase ? await readBinding(pool) : null
  const own = sandboxUrl ? 'sandbox' : serviceBaseUrl.href
  if (bound !== null && !isSameService(bound, own))
    findings.push(
      failure(
        `The database belongs to the service at ${bound}, and SERVICE_BASE_URL is ${own}.`,
        'Correct SERVICE_BASE_URL. Where the provider has moved: npm run rampart move-service',
      ),
    )
  return findings
}

async function readBinding(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ made: boolean }>(`SELECT to_regclass('setting') IS NOT NULL AS made`)
  return rows[0]?.made ? (z.string().safeParse(await readSettingRow(pool, serviceKey)).data ?? null) : null
}

/** Times of processes and tables are compared. Wallets' messages are refused after five minutes. */
const clockSeconds = { warning: 10, failure: 300 }

async function checkClocks(pool: pg.Pool, reached: Promise<boolean>): Promise<Finding[]> {
  const findings: Finding[] = []
  const asked = serviceFault()
  if (await reached) {
    const began = Date.now()
    const { rows } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now')
    const middle = (began + Date.now()) / 2
    findings.push(judgeClock('the database', ((rows[0]?.now.getTime() ?? middle) - middle) / 1_000))
  } else findings.push(skipped('The database does not answer, so its clock was not compared.'))
  await asked
  const offset = serviceClient().clock.offsetMs()
  findings.push(
    offset === null
      ? skipped('The service gave no time (Date), so its clock was not compared.')
      : judgeClock('the service', offset / 1_000),
  )
  return findings
}

function judgeClock(whose: string, seconds: number): Finding {
  const apart = Math.abs(seconds)
  const found =
    apart < 2
      ? `The clock of ${whose} agrees with this machine’s.`
      : `The clock of ${whose} is ${formatPlainDuration(apart)} ${seconds > 0 ? 'ahead of' : 'behind'} this machine’s.`
  const todo = 'Set both clocks by NTP, and see which of them is wrong.'
  if (apart >= clockSeconds.failure) return failure(found, todo)
  return apart >= clockSeconds.warning ? warning(found, todo) : ok(found)
}

/** The contract has no call for a test delivery, so a request of this machine stands in for one. */
async function checkPublicAddress(pool: pg.Pool, reached: Promise<boolean>): Promise<Finding[]> {
  const { publicUrl, sandboxUrl } = env()
  const finding = await judgePublicAddress(publicUrl)
  const isKnown = await reached
  const last = isKnown ? await readLastDelivery(pool) : null
  const came =
    last === null
      ? isKnown
        ? 'No delivery of the service has come yet.'
        : 'Whether the service delivered before is not known without the database.'
      : `The last delivery of the service came ${formatPlainDuration((Date.now() - last.getTime()) / 1_000)} ago.`
  if (finding !== 'answers')
    return [
      failure(`${publicUrl.origin} ${findingWords[finding].found}. ${came}`, findingWords[finding].todo),
    ]
  const where = sandboxUrl ? 'the sandbox, on this machine,' : 'the service'
  return [
    ok(
      `Proved: a request from this machine to ${publicUrl.origin}/api/webhooks/… reached a Rampart. Not proved: that ${where} reaches it. ${came}`,
    ),
  ]
}

const findingWords = {
  'not-https': {
    found: 'is not HTTPS, and the service takes only HTTPS',
    todo: 'Set PUBLIC_URL to an https address, and put a proxy with TLS before Rampart: docs/proxies.md',
  },
  'unknown-host': {
    found: 'has a host that DNS does not know',
    todo: 'Correct PUBLIC_URL, or its DNS entry.',
  },
  internal: {
    found: 'has an address inside this network, which the service cannot reach',
    todo: 'Give the host a public address in DNS, or set PUBLIC_URL to one that has.',
  },
  'no-answer': {
    found: 'does not answer a request from this machine',
    todo: 'See that Rampart and its proxy run, and that firewalls let 443 through. Some networks do not lead back to themselves: then ask from outside.',
  },
  certificate: {
    found: 'has a certificate that is not valid for it',
    todo: 'Renew it, or have the proxy send the whole chain.',
  },
  'something-else': {
    found: 'is answered by something that is not Rampart',
    todo: 'Let the proxy pass /api/webhooks/ on to Rampart unchanged: docs/proxies.md',
  },
} as const satisfies Record<Exclude<PublicAddressCheck['finding'], 'answers'>, object>

async function readLastDelivery(pool: pg.Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | null }>('SELECT max(last_delivery_at) AS at FROM receiver')
  return rows[0]?.at ?? null
}

async function checkCertificate(): Promise<Finding[]> {
  const { publicUrl } = env()
  if (publicUrl.protocol !== 'https:') return [skipped(`${publicUrl.origin} has no certificate.`)]
  const { hostname, port } = publicUrl
  const host = hostname.replace(/^\[|\]$/g, '')
  // The connection ends by an error when the certificate is not valid.
  const socket = tls.connect({ host, port: Number(port || 443), servername: host })
  try {
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
    const validTo = Date.parse(socket.getPeerCertificate().valid_to)
    return [judgeExpiry(`The certificate of ${publicUrl.host} is valid for it`, validTo)]
  } catch (error) {
    return [
      failure(
        `The certificate of ${publicUrl.host} could not be read, or is not valid: ${messageOfError(error)}.`,
        findingWords.certificate.todo,
      ),
    ]
  } finally {
    socket.destroy()
  }
}

async function checkMail(): Promise<Finding[]> {
  const { mail } = env()
  if (!mail) return [skipped('No mail server is set (SMTP_URL): admins learn of trouble on the pages alone.')]
  const fault = await mailServerFault()
  if (fault !== null) return [failure(fault)]
  const how = mail.server.login ? 'takes the login' : 'asks for no login'
  return [ok(`The mail server at ${mail.server.place} answers and ${how}. No mail was sent.`)]
}

async function checkSingleSignOn(): Promise<Finding[]> {
  const { singleSignOn } = env()
  if (!singleSignOn) return [skipped('Single sign-on is not set up.')]
  const fault = await providerFault()
  if (fault !== null) return [failure(fault)]
  const { href } = singleSignOn.issuer
  const keys = await countProviderKeys().catch(messageOfError)
  if (typeof keys === 'string' || keys === 0)
    return [
      failure(
        `The provider at ${href} describes itself, and its keys cannot be read${keys === 0 ? ': it has none' : ` (${keys})`}.`,
        'See that this machine reaches the address jwks_uri of its discovery document.',
      ),
    ]
  return [
    ok(
      `The provider at ${href} describes itself and has ${keys === 1 ? '1 key' : `${keys} keys`}. Nobody was signed in.`,
    ),
  ]
}

async function checkAuditHeads(): Promise<Finding[]> {
  if (!env().auditHeadUrl)
    return [skipped('AUDIT_HEAD_URL is not set: the ends of the audit chain are in the log alone.')]
  const fault = await headUrlFault()
  return [fault === null ? ok('AUDIT_HEAD_URL answers. Nothing was posted.') : failure(fault)]
}

/** A disk has so many bytes left, or this part of it. */
const diskLeft = {
  warning: { bytes: 2_000_000_000, part: 0.1 },
  failure: { bytes: 200_000_000, part: 0.02 },
}

async function checkDisk(
  { dataDir, isEmbedded }: ServerSettings,
  pool: pg.Pool,
  reached: Promise<boolean>,
): Promise<Finding[]> {
  const folders = new Set([path.resolve(dataDir)])
  if (isEmbedded) folders.add(findCluster(path.resolve(dataDir, 'postgres')).place)
  const findings = await Promise.all([...folders].filter((folder) => fs.existsSync(folder)).map(judgeDisk))
  if (!(await reached)) return findings
  const { rows } = await pool.query<{ bytes: number }>(DATABASE_SIZE)
  const size = `The database has ${formatBytes(rows[0]?.bytes ?? 0)}.`
  return [
    ...findings,
    isEmbedded
      ? ok(size)
      : skipped(`${size} The disk of its server cannot be seen from here: watch it there.`),
  ]
}

const DATABASE_SIZE = 'SELECT pg_database_size(current_database())::float8 AS bytes'

async function judgeDisk(folder: string): Promise<Finding> {
  const { bavail, blocks, bsize } = await fs.promises.statfs(folder)
  const [left, all] = [bavail * bsize, blocks * bsize]
  const found = `The disk of ${folder} has ${formatBytes(left)} of ${formatBytes(all)} left.`
  const todo = 'Make room, or a larger disk. docs/retention.md says how to keep less.'
  const isBelow = ({ bytes, part }: { readonly bytes: number; readonly part: number }) =>
    left < Math.min(bytes, all * part)
  if (isBelow(diskLeft.failure)) return failure(found, todo)
  return isBelow(diskLeft.warning) ? warning(found, todo) : ok(found)
}

/** A nightly backup is at most so many hours old, with an hour for its work. */
const backupHours = { warning: 25, failure: 7 * 24 }

async function checkBackup({ isEmbedded }: ServerSettings, pool: pg.Pool): Promise<Finding[]> {
  if (env().sandboxUrl && isEmbedded) return [skipped('The database holds only what the sandbox made.')]
  const how = isEmbedded
    ? 'Make one: npm run rampart backup FOLDER'
    : 'Let the script that makes backups say so each time: npm run rampart backed-up'
  const last = await readLastBackup(pool)
  const archived = isEmbedded ? [] : await judgeArchive(pool)
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
async function judgeArchive(pool: pg.Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ archived: Date | null; failed: Date | null }>(ARCHIVER)
  const { archived = null, failed = null } = rows[0] ?? {}
  if (failed !== null && (archived === null || failed > archived))
    return [
      failure(
        `PostgreSQL could not archive its log: it failed last at ${failed.toISOString()}.`,
        'Look at archive_command and at its target.',
      ),
    ]
  return archived === null ? [] : [ok(`PostgreSQL archived its log last at ${archived.toISOString()}.`)]
}

const ARCHIVER = `
  SELECT last_archived_time AS archived, last_failed_time AS failed FROM pg_stat_archiver`

async function checkStatus(pool: pg.Pool): Promise<Finding[]> {
  const { problems } = await readOperatorStatus(pool)
  return problems.length === 0
    ? [ok('Projector, backlog, endpoints, gaps and mail need nobody.')]
    : problems.map(({ found, todo }) => failure(found, todo))
}
