import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { recordBackup } from '#lib/operations/restore/restore-state.ts'
import { OperatorStatusSchema } from '#lib/operations/status/operator-status.ts'
import { grantToApplication } from '#lib/platform/db/application-role.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { keepSettingRow } from '#lib/platform/settings/settings.ts'
import { shardLeaseMs } from '#lib/timeline/projector/shard-leases.ts'
import { makeAuthority } from '../../test/certificates.ts'
import { takeAllShards } from '../../test/folding.ts'
import { clientId, startIdentityProvider } from '../../test/identity-provider.ts'
import { addReceiver, testKey } from '../../test/ingest.ts'
import { startMailServer } from '../../test/mail-server.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { startCommand } from '../../test/rampart-command.ts'
import { runHere } from '../../test/run-here.ts'
import { freePort } from '../postgres.ts'

// Every part that the doctor checks is here for real or as a server that a test can break.
const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-doctor-'))
const apiKey = 'the-api-key-of-the-doctor-s-test'
const role = { name: `doctor_${crypto.randomBytes(4).toString('hex')}`, password: 'p@ss/word#1?' }
let database: TestDatabase
let owner: pg.Pool
let good: Record<string, string>
let projector: NodeJS.Timeout
const servers: net.Server[] = []
/** The service's clock differs by so many seconds. */
let serviceAhead = 0

async function listen<Server extends net.Server>(server: Server): Promise<{ server: Server; port: number }> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

/** The server takes connections and never answers. */
const hanging = () => listen(net.createServer((socket) => socket.on('error', () => undefined)))

/** The server speaks TLS as PostgreSQL does, and passes on to one that does not. */
function withTls({ hostname, port }: URL, certified: tls.SecureContextOptions) {
  return net.createServer((socket) =>
    socket.once('data', () => {
      socket.write('S')
      const secure = new tls.TLSSocket(socket, { isServer: true, ...certified })
      const behind = net.connect(Number(port), hostname)
      for (const [one, other] of [
        [secure, behind],
        [behind, secure],
      ] as const)
        one.on('error', () => other.destroy()).pipe(other)
    }),
  )
}

const asRampart: http.RequestListener = (_request, response) =>
  void response.writeHead(405, { allow: 'POST' }).end()

beforeAll(async () => {
  database = await createTestDatabase()
  owner = openPool(database.url)
  await owner.query(`CREATE ROLE ${role.name} LOGIN PASSWORD '${role.password}'`)
  const application = new URL(database.url)
  application.username = role.name
  application.password = encodeURIComponent(role.password)
  const pool = openPool(application.href, 1)
  await grantToApplication(database.url, pool)
  await pool.end()
  const service = await listen(
    http.createServer((request, response) => {
      response.setHeader('date', new Date(Date.now() + serviceAhead * 1_000).toUTCString())
      response.writeHead(request.headers.authorization === apiKey ? 200 : 401).end('[]')
    }),
  )
  const rampart = await listen(http.createServer(asRampart))
  const mail = await startMailServer()
  const provider = await startIdentityProvider(await freePort(), 'http://localhost:3000/callback')
  good = {
    RAMPART_DATA_DIR: dataDir,
    // The database of tests runs without fsync.
    DATABASE_DURABILITY: 'assured',
    DATABASE_URL: application.href,
    DATABASE_MIGRATE_URL: database.url,
    SERVICE_BASE_URL: `http://localhost:${service.port}/onboarding`,
    SERVICE_API_KEY: apiKey,
    // The address of this machine is enough for a sandbox.
    RAMPART_SANDBOX_URL: `http://localhost:${service.port}`,
    PUBLIC_URL: `http://localhost:${rampart.port}`,
    NEXTAUTH_SECRET: 'a-secret-of-the-doctor-s-test-that-is-long-enough',
    RAMPART_KEYS: `k1:${crypto.randomBytes(32).toString('base64')}`,
    SMTP_URL: mail.url,
    MAIL_FROM: 'rampart@example.com',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: 'the-secret-of-the-client-at-the-provider',
  }
  stops.push(
    () => mail.stop(),
    () => provider.stop(),
  )
})
const stops: (() => Promise<unknown>)[] = []

const waitingMail = `
  INSERT INTO mail (id, kind, recipient, created_at, give_up_at)
  VALUES (gen_random_uuid(), 'notices', 'ana@example.com', now() - interval '2 h', now() + interval '1 day')`

afterAll(async () => {
  for (const server of servers) server.close()
  for (const stop of stops) await stop()
  await owner.query(`DROP OWNED BY ${role.name}`)
  await owner.query(`DROP ROLE ${role.name}`)
  await owner.end()
  await database.drop()
  fs.rmSync(dataDir, { recursive: true })
})
beforeEach(async () => {
  serviceAhead = 0
  await owner.query('TRUNCATE lease, setting, gap, mail, key_fault')
  await recordBackup(owner, { madeAt: new Date().toISOString(), by: 'script' })
  const { leases } = await takeAllShards(owner)
  projector = setInterval(() => void leases.renew(), shardLeaseMs / 3)
})
afterEach(() => clearInterval(projector))

const given = (variables: Record<string, string>) =>
  Object.fromEntries(Object.entries({ ...good, ...variables }).filter(([, value]) => value !== ''))

const here = (words: string[], variables: Record<string, string>) => runHere(words, given(variables))

async function inProcess(words: string[], variables: Record<string, string> = {}) {
  const began = performance.now()
  const { code, out, err } = await startCommand(words, given(variables)).ended
  return { code, out, err, seconds: (performance.now() - began) / 1_000 }
}

/** These commands wait for servers that never answer, while other tests run. */
let ofNobody: Readonly<Record<'doctor' | 'status', ReturnType<typeof inProcess>>>
beforeAll(async () => {
  const nobody = `localhost:${(await hanging()).port}`
  const database = { DATABASE_URL: `postgresql://a:database-secret@${nobody}/rampart` }
  ofNobody = {
    doctor: inProcess(['doctor', '--json'], {
      ...database,
      DATABASE_MIGRATE_URL: '',
      SERVICE_BASE_URL: `http://${nobody}/onboarding`,
      SMTP_URL: `smtp://${nobody}`,
      OIDC_ISSUER: `http://${nobody}`,
      PUBLIC_URL: `https://${nobody}`,
      AUDIT_HEAD_URL: `http://${nobody}`,
    }),
    status: inProcess(['status'], database),
  }
})

/** The programs of this process trust the authority from now on, as a process that is started with NODE_EXTRA_CA_CERTS. */
function trust({ cert }: { readonly cert: string }) {
  tls.setDefaultCACertificates([...trustedBefore, cert])
}
const trustedBefore = tls.getCACertificates('default')
afterAll(() => tls.setDefaultCACertificates(trustedBefore))

const ReportSchema = z.strictObject({
  at: z.iso.datetime(),
  state: z.enum(['ok', 'warning', 'failure']),
  findings: z.array(
    z.strictObject({
      check: z.string(),
      state: z.enum(['ok', 'warning', 'failure', 'skipped']),
      found: z.string(),
      todo: z.string().nullable(),
    }),
  ),
})

const doctor = async (variables: Record<string, string> = {}) =>
  reportOf(await here(['doctor', '--json'], variables))

function reportOf({ code, out }: { readonly code: unknown; readonly out: string }) {
  const { state, findings } = ReportSchema.parse(JSON.parse(out))
  const of = (check: string, wanted: string) =>
    findings
      .filter((one) => one.check === check && one.state === wanted)
      .map(({ found, todo }) => `${found} ${todo ?? ''}`)
      .join('\n')
  const failing = new Set(findings.flatMap((one) => (one.state === 'failure' ? [one.check] : [])))
  return { code, state, findings, of, failing: [...failing], out }
}

describe('the doctor', () => {
  it('ends with 0 when all is well, and says what it proved', async () => {
    const { code, findings, of } = await doctor()
    expect(findings.filter(({ state }) => state === 'failure' || state === 'warning')).toEqual([])
    expect(code).toBe(0)
    expect(of('database', 'ok')).toMatch(/lead to the database test_\w+ of PostgreSQL \d+/)
    expect(of('roles', 'ok')).toContain('change nothing in it')
    expect(of('pooler', 'ok')).toContain('arrived at DATABASE_DIRECT_URL')
    expect(of('public-address', 'ok')).toMatch(
      /Proved: .* Not proved: .*No delivery of the service has come yet/,
    )
    expect(of('single-sign-on', 'ok')).toMatch(/has \d+ keys?\. Nobody was signed in/)
    expect(of('mail', 'ok')).toContain('No mail was sent')
    const { code: inText, out } = await inProcess(['doctor'])
    expect(inText).toBe(0)
    expect(out).toMatch(/^ok {7}settings/)
    expect(out).toMatch(/0 warnings, 0 failures/)
  })

  it('ends with 3 when there are only warnings', async () => {
    const madeAt = new Date(Date.now() - 30 * 3_600_000).toISOString()
    await recordBackup(owner, { madeAt, by: 'script' })
    const { code, state, of } = await doctor()
    expect({ code, state }).toEqual({ code: 3, state: 'warning' })
    expect(of('backup', 'warning')).toMatch(/30 h old\..*npm run rampart backed-up/)
    await owner.query(`DELETE FROM setting WHERE key = 'last-backup'`)
    expect((await doctor()).of('backup', 'warning')).toContain('knows of no backup')
    expect((await here(['backed-up'], {})).code).toBe(0)
    expect((await doctor()).code).toBe(0)
  })

  const closed = 'localhost:1'
  const answersHello = http.createServer((_, response) => response.end('hello'))
  const faults: Readonly<
    Record<string, readonly [said: RegExp, change: (variables: Record<string, string>) => unknown]>
  > = {
    'a refused key': [
      /refuses this key.*npm run rampart service-key/,
      (variables) => Object.assign(variables, { SERVICE_API_KEY: 'another-key-of-nobody' }),
    ],
    'a service that is away': [
      /does not answer as it should/,
      (variables) => Object.assign(variables, { SERVICE_BASE_URL: `http://${closed}/onboarding` }),
    ],
    'a database of another service': [
      /belongs to the service at https:\/\/other\.example/,
      () => keepSettingRow(owner, 'service', 'https://other.example'),
    ],
    'a mail server that is away': [
      /does not take mail/,
      (variables) => Object.assign(variables, { SMTP_URL: `smtp://user:mail-password@${closed}` }),
    ],
    'a provider that is away': [
      /does not say what it is/,
      (variables) => Object.assign(variables, { OIDC_ISSUER: `http://${closed}` }),
    ],
    'a public address where nobody answers': [
      /does not answer a request from this machine/,
      (variables) => Object.assign(variables, { PUBLIC_URL: `http://${closed}` }),
    ],
    'a public address of something else': [
      /answered by something that is not Rampart/,
      async (variables) =>
        Object.assign(variables, { PUBLIC_URL: `http://localhost:${(await listen(answersHello)).port}` }),
    ],
    'a public address without TLS': [
      /is not HTTPS/,
      (variables) => Object.assign(variables, { RAMPART_SANDBOX_URL: '' }),
    ],
    'a clock that is ahead': [
      /The clock of the service is (10 min|9 min 5\d s).* ahead/,
      () => {
        serviceAhead = 600
      },
    ],
    'a migration that is missing': [
      /1 migrations of this version are not applied/,
      () =>
        owner.query(
          `UPDATE _prisma_migrations SET rolled_back_at = now()
           WHERE migration_name = (SELECT min(migration_name) FROM _prisma_migrations)`,
        ),
    ],
    'a key of another value': [
      /The key k1 of RAMPART_KEYS is not the one .*id of its own/,
      () => keepSettingRow(owner, 'digest-key:k1', 'another'),
    ],
    'a right that is missing': [
      /may not read and write the table gap/,
      () => owner.query(`REVOKE INSERT ON gap FROM ${role.name}`),
    ],
    'a mail that waits': [/A mail has waited since/, () => owner.query(waitingMail)],
    'an address for heads where nobody answers': [
      /nobody answers/,
      (variables) => Object.assign(variables, { AUDIT_HEAD_URL: `http://${closed}` }),
    ],
  }
  it.each<Readonly<Record<string, string>>>([
    {
      roles: 'a right that is missing',
      migrations: 'a migration that is missing',
      keys: 'a key of another value',
      service: 'a refused key',
      'public-address': 'a public address where nobody answers',
      mail: 'a mail server that is away',
      'single-sign-on': 'a provider that is away',
      'audit-heads': 'an address for heads where nobody answers',
    },
    {
      service: 'a service that is away',
      'public-address': 'a public address of something else',
      status: 'a mail that waits',
    },
    {
      service: 'a database of another service',
      clock: 'a clock that is ahead',
      'public-address': 'a public address without TLS',
    },
  ])('finds each fault, and no other: %j', async (wrong) => {
    const variables: Record<string, string> = {}
    for (const name of Object.values(wrong)) await faults[name]?.[1](variables)
    const { code, failing, of } = await doctor(variables)
    await owner.query('UPDATE _prisma_migrations SET rolled_back_at = NULL')
    await owner.query(`GRANT INSERT ON gap TO ${role.name}`)
    expect(code).toBe(1)
    expect(failing).toEqual(Object.keys(wrong))
    for (const [check, name] of Object.entries(wrong))
      expect(of(check, 'failure')).toMatch(faults[name]?.[0] ?? '')
  })

  it('says that a role could change the audit, and that a superuser is too much', async () => {
    const { code, of } = await doctor({ DATABASE_URL: database.url })
    expect(code).toBe(3)
    expect(of('roles', 'warning')).toMatch(/superuser.*could change the audit/s)
  })

  it('notices that no notification comes', async () => {
    const other = await createTestDatabase()
    const { of, failing } = await doctor({ DATABASE_DIRECT_URL: other.url })
    await other.drop()
    expect(failing).toEqual(['database', 'pooler'])
    expect(of('pooler', 'failure')).toContain('past the pooler')
  })

  it('checks nothing else where the settings cannot be read', async () => {
    const { code, failing, findings } = await doctor({ SMTP_URL: 'mail.example.com' })
    expect(code).toBe(1)
    expect(failing).toEqual(['settings'])
    expect(findings.at(-1)?.found).toContain('SMTP_URL must be smtp://')
  })

  it.each([
    ['ok', 'valid until', 60, 'localhost'],
    ['warning', 'valid until', 5, 'localhost'],
    ['failure', 'valid until', 1, 'localhost'],
    ['failure', 'expired', -1, 'localhost'],
    ['failure', 'altnames', 60, 'other.example'],
  ])(
    'reads the certificate of the public address: %s, %s, with %i days left for %s',
    async (state, said, days, host) => {
      const authority = makeAuthority()
      trust(authority)
      const until = new Date(Date.now() + days * 86_400_000)
      const { port } = await listen(https.createServer(authority.certify(host, until), asRampart))
      const { findings } = await doctor({ PUBLIC_URL: `https://localhost:${port}` })
      const [found, ...more] = findings.filter(({ check }) => check === 'certificate')
      expect(more).toEqual([])
      expect(found).toMatchObject({ state, found: expect.stringContaining(said) })
      if (said === 'valid until') expect(found?.found).toContain(until.toISOString().slice(0, 10))
    },
  )

  it.each([
    [
      /authority that is not known here/,
      /by NODE_EXTRA_CA_CERTS/,
      https.createServer(makeAuthority().certify('localhost')),
    ],
    [/ECONNREFUSED/, /names the proxy’s port/, null],
  ])('says what to do when the certificate cannot be checked: %s', async (said, todo, server) => {
    const port = server ? (await listen(server)).port : 1
    const { of } = await doctor({ PUBLIC_URL: `https://localhost:${port}` })
    expect(of('certificate', 'failure')).toMatch(said)
    expect(of('certificate', 'failure')).toMatch(todo)
  })

  it.each([
    ['PROJECTORS', '64', null],
    ['ROLE', 'web,live', null],
    ['DATABASE_CONNECTIONS', '900', /^DATABASE_CONNECTIONS is 900, and the server/],
  ])(
    'warns of a small server only where the start would ask it for too many: %s=%s',
    async (name, value, line) => {
      const said = (await doctor({ [name]: value })).of('database', 'warning')
      if (line === null) expect(said).toBe('')
      else expect(said).toMatch(line)
    },
  )

  it.each([makeAuthority().certify('localhost'), makeAuthority().certify('localhost', new Date(0))])(
    'finds a wrong certificate wrong, and says so where Node is told to check none',
    async (certified) => {
      const { port } = await listen(https.createServer(certified, asRampart))
      const variables = { PUBLIC_URL: `https://localhost:${port}`, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
      const { of } = await doctor(variables)
      expect(of('certificate', 'failure')).toMatch(/is not valid/)
      expect(of('settings', 'warning')).toMatch(/^NODE_TLS_REJECT_UNAUTHORIZED turns off/)
    },
  )

  it('warns of an internal public address until a delivery has come', async () => {
    const trusted = path.join(dataDir, 'ca.pem')
    const authority = makeAuthority()
    fs.writeFileSync(trusted, authority.cert)
    const { port } = await listen(https.createServer(authority.certify('localhost'), asRampart))
    const variables = { PUBLIC_URL: `https://localhost:${port}`, NODE_EXTRA_CA_CERTS: trusted }
    const { of } = reportOf(await inProcess(['doctor', '--json'], variables))
    expect(of('public-address', 'warning')).toMatch(/inside this network.*has come yet/)
    const { id } = await addReceiver(owner)
    await owner.query('UPDATE receiver SET last_delivery_at = now() WHERE id = $1', [id])
    trust(authority)
    expect((await doctor(variables)).of('public-address', 'ok')).toMatch(
      /The last delivery .* came (less than )?\d+ s ago/,
    )
    await owner.query('DELETE FROM receiver WHERE id = $1', [id])
  })

  it('reads the certificate of the database', async () => {
    const authority = makeAuthority()
    const trusted = path.join(dataDir, 'db-ca.pem')
    fs.writeFileSync(trusted, authority.cert)
    const until = new Date(Date.now() + 5 * 86_400_000)
    const { port } = await listen(withTls(new URL(database.url), authority.certify('localhost', until)))
    const address = Object.assign(new URL(good.DATABASE_URL ?? ''), { host: `localhost:${port}` })
    address.search = `?sslmode=verify-full&sslrootcert=${trusted}`
    const { failing, of } = await doctor({ DATABASE_URL: address.href })
    expect(failing).toEqual([])
    expect(of('tls', 'warning')).toContain(
      `was checked; it is valid until ${until.toISOString().slice(0, 10)}`,
    )
  })

  it('names a key that endpoints need, and remembers none', async () => {
    const { id } = await addReceiver(owner, { key: testKey('k0') })
    const { failing, of } = await doctor()
    expect(failing).toEqual(['keys'])
    expect(of('keys', 'failure')).toMatch(/lacks the key k0, .*last\./)
    await owner.query('DELETE FROM receiver WHERE id = $1', [id])
    expect((await doctor()).of('keys', 'ok')).toContain('RAMPART_KEYS (k1) has every key')
    expect((await owner.query(`SELECT FROM setting WHERE key LIKE 'digest-key:%'`)).rowCount).toBe(0)
  })

  it('reports missing tables once', async () => {
    const empty = Object.assign(new URL(database.url), { pathname: '/postgres' }).href
    const { failing, of } = await doctor({ DATABASE_URL: empty, DATABASE_MIGRATE_URL: empty })
    expect(failing).toEqual(['migrations'])
    expect(of('backup', 'skipped')).toContain('no tables of Rampart')
  })

  it('ends in time when everything hangs at once, and checks the rest', async () => {
    const { seconds, ...ended } = await ofNobody.doctor
    const { code, failing, of } = reportOf(ended)
    expect(code).toBe(1)
    expect(failing).toEqual([
      'database',
      'service',
      'public-address',
      'certificate',
      'mail',
      'single-sign-on',
      'audit-heads',
    ])
    // Nothing but the limit of a check ends this one.
    expect(of('certificate', 'failure')).toContain('No answer came within 12 s')
    expect(of('roles', 'skipped')).toContain('the database does not answer')
    expect(of('disk', 'ok')).toContain('left')
    expect(seconds).toBeLessThan(40)
  })

  it('prints no secret, whatever fails', async () => {
    const secrets = {
      DATABASE_URL: `postgresql://nobody:${encodeURIComponent('database#secret')}@${new URL(database.url).host}/none`,
      SERVICE_API_KEY: 'another-key-of-nobody',
      SMTP_URL: `smtp://user:mail-password@${closed}`,
    }
    const { out } = await doctor(secrets)
    const { out: text, err } = await here(['doctor'], secrets)
    for (const secret of [
      'database#secret',
      'database%23secret',
      'another-key-of-nobody',
      'mail-password',
      good.NEXTAUTH_SECRET ?? '?',
      good.OIDC_CLIENT_SECRET ?? '?',
      good.RAMPART_KEYS?.slice(3) ?? '?',
    ])
      expect(out + text + err).not.toContain(secret)
  })
})

describe('the status', () => {
  const StatusSchema = OperatorStatusSchema.extend({ version: z.string(), commit: z.string().nullable() })
  const status = async (variables: Record<string, string> = {}) => {
    const { code, out } = await here(['status', '--json'], variables)
    return { code, ...StatusSchema.parse(JSON.parse(out)) }
  }

  it('ends with 0 and says so when nobody is needed', async () => {
    // The retries of this gap are pending.
    await owner.query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at)
       VALUES (gen_random_uuid(), 'deferred', gen_random_uuid(), now() - interval '9 min', now() - interval '5 min')`,
    )
    expect(await status()).toMatchObject({ code: 0, healthy: true, problems: [] })
    const { code, out, err } = await inProcess(['status'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('projector     active\n')
  })

  it.each([
    [
      'key-refused',
      `INSERT INTO setting (key, value) SELECT 'service-state', jsonb_build_object('look', 'key-refused', 'since', at, 'lookedAt', at, 'seenAt', null)
       FROM (SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at) AS one`,
    ],
    [
      'key-fault',
      `WITH held AS (
         INSERT INTO lease (name, holder, epoch, expires_at)
         SELECT 'keys:' || id || ':', id, 1, now() + interval '1 minute' FROM gen_random_uuid() AS id RETURNING holder
       )
       INSERT INTO key_fault (process, key_id, kind) SELECT holder, 'k1', 'changed' FROM held`,
    ],
    [
      'gap',
      `INSERT INTO gap (id, kind, about, began_at) VALUES (gen_random_uuid(), 'down', '', now() - interval '1 h')`,
    ],
    [
      'endpoint-off',
      `INSERT INTO gap (id, kind, about, began_at) VALUES (gen_random_uuid(), 'auto-disabled', gen_random_uuid(), now())`,
    ],
    ['mail', waitingMail],
  ])('ends with 1 and names %s', async (kind, sql) => {
    await owner.query(sql)
    const { code, healthy, problems } = await status()
    expect({ code, healthy }).toEqual({ code: 1, healthy: false })
    expect(problems.map((one) => one.kind)).toEqual([kind])
    // The text is made the same way for each.
    if (kind === 'gap') expect((await here(['status'], {})).err).toContain(problems[0]?.todo)
  })

  it('waits for the projector of a start that has just ended', async () => {
    clearInterval(projector)
    await owner.query('TRUNCATE lease')
    const asks = (name: string) => ({ DATABASE_URL: `${good.DATABASE_URL}?application_name=${name}` })
    const settled = Promise.all([status(asks('status')), inProcess(['doctor', '--json'], asks('doctor'))])
    const waiting = async () => {
      const { rows } = await owner.query<{ name: string }>(
        `SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE usename = $1 AND query LIKE '%projector:%' ORDER BY 1`,
        [role.name],
      )
      return rows.map(({ name }) => name)
    }
    await expect.poll(waiting).toEqual(['doctor', 'status'])
    const { leases } = await takeAllShards(owner)
    projector = setInterval(() => void leases.renew(), shardLeaseMs / 3)
    const [of, checked] = await settled
    expect(of).toMatchObject({ code: 0, healthy: true })
    expect(reportOf(checked).failing).toEqual([])
  })

  it('says within seconds that the database is away, closed or silent', async () => {
    const closed = { DATABASE_URL: 'postgresql://a:database-secret@localhost:1/rampart' }
    expect(await status(closed)).toMatchObject({
      code: 1,
      figures: null,
      problems: [{ kind: 'database-away' }],
    })
    for (const { code, err } of [await here(['status'], closed), await ofNobody.status]) {
      expect(code).toBe(1)
      expect(err).toMatch(/^! The database d.*npm run rampart doctor\n$/)
      expect(err).not.toContain('database-secret')
    }
    expect((await ofNobody.status).seconds).toBeLessThan(30)
  })
})
