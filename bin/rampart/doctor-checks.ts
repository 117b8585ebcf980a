import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { z } from 'zod'
import { readOwnKeyFaults } from '#lib/deliveries/ingest/own-key-check.ts'
import {
  callPublicAddress,
  isAboutCertificate,
  judgePublicAddress,
  type PublicAddressCheck,
} from '#lib/endpoints/public-address-check.ts'
import { serviceFault } from '#lib/endpoints/service-key/service-state.ts'
import { fingerprint, readStoredApiKey } from '#lib/endpoints/service-key/stored-api-key.ts'
import { countProviderKeys, providerFault } from '#lib/identity/single-sign-on/provider.ts'
import { projectorStartMs, readSettledStatus } from '#lib/operations/status/operator-status.ts'
import { readCertificateEnd } from '#lib/platform/addresses/public-address.ts'
import { sizeOfDatabase } from '#lib/platform/db/partitions.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { isSameService, serviceKey } from '#lib/platform/db/which-database.ts'
import { env } from '#lib/platform/env.ts'
import { secretDigester } from '#lib/platform/keys/digests-and-seals.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { mailServerFault } from '#lib/platform/mail/hand-over.ts'
import { readSettingRow } from '#lib/platform/settings/settings.ts'
import { apiKeyInForce, serviceClient, setApiKey } from '#lib/service/service-client.ts'
import { headUrlFault } from '../../lib/audit/heads.ts'
import { formatPlainDuration } from '../../lib/words/labels/duration.ts'
import { formatBytes } from '../../lib/words/labels/formats.ts'
import { findCluster } from '../cluster.ts'
import type { ServerSettings } from './database-address.ts'
import {
  checkBackup,
  checkDatabase,
  checkMigrations,
  checkPooler,
  checkRoles,
  checkTls,
  type Finding,
  failure,
  judgeExpiry,
  ok,
  skipped,
  warning,
} from './database-checks.ts'

/** A check may take this many milliseconds. The service's client gives up after 10 s. */
export const usualLimitMs = 12_000

/** A check only reads. It may throw: an `OperatorError` says what to do. */
export interface Check {
  readonly name: string
  readonly limitMs?: number
  run(): Promise<Finding[]>
}

/** The checks share a pool that gives up early. */
export const openPoolOfChecks = () => openPool(env().databaseUrl, 3, 5_000)

/** All checks run at the same time, and are reported in this order. `env()` can be read. */
export function checksOf(settings: ServerSettings, pool: pg.Pool): readonly Check[] {
  // The database, and its tables, are a failure of their own, and not one of each check that needs them.
  const asked = pool.query<{ made: boolean }>(`SELECT to_regclass('setting') IS NOT NULL AS made`).then(
    ({ rows: [row] }) => (row?.made ? 'tables' : 'empty'),
    () => null,
  )
  const reached = asked.then((found) => found !== null)
  const hasTables = asked.then((found) => found === 'tables')
  const needsDatabase = (name: string, run: (pool: pg.Pool) => Promise<Finding[]>): Check => ({
    name,
    run: async () =>
      (await reached) ? run(pool) : [skipped('Not checked, because the database does not answer.')],
  })
  const needsTables = (name: string, run: (pool: pg.Pool) => Promise<Finding[]>): Check =>
    needsDatabase(name, async () =>
      (await hasTables)
        ? run(pool)
        : [skipped('Not checked, because the database has no tables of Rampart.')],
    )
  return [
    { name: 'database', run: () => checkDatabase(settings, pool) },
    needsDatabase('tls', checkTls),
    needsDatabase('roles', checkRoles),
    needsDatabase('pooler', checkPooler),
    needsDatabase('migrations', checkMigrations),
    needsTables('keys', checkKeys),
    { name: 'service', run: () => checkService(pool, hasTables) },
    { name: 'clock', run: () => checkClocks(pool, reached) },
    { name: 'public-address', run: () => checkPublicAddress(pool, hasTables) },
    { name: 'certificate', run: checkCertificate },
    { name: 'mail', run: checkMail },
    { name: 'single-sign-on', run: checkSingleSignOn },
    { name: 'audit-heads', run: checkAuditHeads },
    { name: 'disk', run: () => checkDisk(settings, pool, reached) },
    needsTables('backup', (database) => checkBackup(settings, database)),
    { ...needsTables('status', checkStatus), limitMs: usualLimitMs + projectorStartMs },
  ]
}

/** No key is remembered here, as it is at a start: these may be other settings than those of the servers. */
async function checkKeys(pool: pg.Pool): Promise<Finding[]> {
  const digester = secretDigester(env().keys)
  const faults = await readOwnKeyFaults(pool, digester)
  if (faults.length === 0)
    return [
      ok(
        `RAMPART_KEYS (${digester.keyIds.join(', ')}) has every key that endpoints need, and none is wrong.`,
      ),
    ]
  return faults.map(({ keyId, kind }) =>
    kind === 'changed'
      ? failure(
          `The key ${keyId} of RAMPART_KEYS is not the one that this database knows.`,
          'Put the right value back. A new key needs an id of its own: docs/rotate.md',
        )
      : failure(
          `RAMPART_KEYS lacks the key ${keyId}, under which secrets of endpoints are kept.`,
          'Put it back, last.',
        ),
  )
}

async function checkService(pool: pg.Pool, hasTables: Promise<boolean>): Promise<Finding[]> {
  const { serviceApiKey, serviceBaseUrl, sandboxUrl } = env()
  const isKnown = await hasTables
  const stored = isKnown ? await readStoredApiKey(pool, serviceApiKey) : null
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
  const bound = isKnown ? await readBinding(pool) : null
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
  return z.string().safeParse(await readSettingRow(pool, serviceKey)).data ?? null
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
async function checkPublicAddress(pool: pg.Pool, hasTables: Promise<boolean>): Promise<Finding[]> {
  const { publicUrl, sandboxUrl } = env()
  const judged = await judgePublicAddress(publicUrl)
  // The service may be inside the same network, or see another address of this name.
  const finding = judged === 'internal' ? await callPublicAddress(publicUrl) : judged
  const isKnown = await hasTables
  const last = isKnown ? await readLastDelivery(pool) : null
  const came =
    last === null
      ? isKnown
        ? 'No delivery of the service has come yet.'
        : 'Whether the service delivered before is not known without its tables.'
      : `The last delivery of the service came ${formatPlainDuration((Date.now() - last.getTime()) / 1_000)} ago.`
  if (finding !== 'answers')
    return [
      failure(`${publicUrl.origin} ${findingWords[finding].found}. ${came}`, findingWords[finding].todo),
    ]
  if (judged === 'internal' && last === null)
    return [
      warning(
        `${publicUrl.origin} answers, but has an address inside this network. ${came}`,
        'Where the service is outside of it: give the host a public address in DNS, or set PUBLIC_URL to one that has.',
      ),
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
  'no-answer': {
    found: 'does not answer a request from this machine',
    todo: 'See that Rampart and its proxy run, that PUBLIC_URL names the proxy’s port, and that firewalls let it through. Some networks do not lead back to themselves: then ask from outside.',
  },
  certificate: {
    found: 'has a certificate that is not valid for it',
    todo: 'Renew it, have the proxy send the whole chain, or name an authority of your own by NODE_EXTRA_CA_CERTS.',
  },
  'something-else': {
    found: 'is answered by something that is not Rampart',
    todo: 'Let the proxy pass /api/webhooks/ on to Rampart unchanged: docs/proxies.md',
  },
} as const satisfies Record<Exclude<PublicAddressCheck['finding'], 'answers' | 'internal'>, object>

async function readLastDelivery(pool: pg.Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | null }>('SELECT max(last_delivery_at) AS at FROM receiver')
  return rows[0]?.at ?? null
}

async function checkCertificate(): Promise<Finding[]> {
  const { publicUrl } = env()
  if (publicUrl.protocol !== 'https:') return [skipped(`${publicUrl.origin} has no certificate.`)]
  // The connection ends by an error when the certificate is not valid, or nobody answers.
  try {
    const validTo = await readCertificateEnd(publicUrl)
    return [judgeExpiry(`The certificate of ${publicUrl.host} is valid for it`, validTo)]
  } catch (error) {
    const { todo } = findingWords[isAboutCertificate(error) ? 'certificate' : 'no-answer']
    return [
      failure(
        `The certificate of ${publicUrl.host} could not be read, or is not valid: ${messageOfError(error)}.`,
        todo,
      ),
    ]
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
  const size = `The database has ${formatBytes(await sizeOfDatabase(pool))}.`
  return [
    ...findings,
    isEmbedded
      ? ok(size)
      : skipped(`${size} The disk of its server cannot be seen from here: watch it there.`),
  ]
}

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

async function checkStatus(pool: pg.Pool): Promise<Finding[]> {
  const { problems } = await readSettledStatus(pool)
  return problems.length === 0
    ? [ok('Projector, backlog, endpoints, gaps and mail need nobody.')]
    : problems.map(({ found, todo }) => failure(found, todo))
}
