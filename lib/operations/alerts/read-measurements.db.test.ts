import crypto from 'node:crypto'
import { once } from 'node:events'
import os from 'node:os'
import tls from 'node:tls'
import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { uuidv7Of } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { createServiceClock } from '#lib/service/exchange.ts'
import { trustedAuthority } from '../../../test/certificates.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { captureLog } from '../../../test/log.ts'
import { configure } from '../../../test/service.ts'
import { serviceState } from '../../../test/service-state.ts'
import { wordsOfAlert } from '../labels/alert-labels.ts'
import { mailOfAlerts, slackOfAlerts, teamsOfAlerts, webhookOfAlerts } from '../labels/alert-messages.ts'
import { recordBackup } from '../restore/restore-state.ts'
import { defaultRule } from '../rules/alert-changes.ts'
import { type ConditionCode, conditionCodes, noBackup } from '../rules/alert-conditions.ts'
import { endProcessReport, writeProcessReport } from './process-report.ts'
import { readMeasurements } from './read-measurements.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(async () => {
  configure({ DATABASE_URL: database.url })
  await pool().query(
    `TRUNCATE endpoint_state, watched_endpoint, receiver, refusal, gap, delivery, delivery_pending, lease, audit, audit_counter, audit_link,
       process_report, event, transaction, setting`,
  )
})

const rules = new Map(conditionCodes.map((code) => [code, { ...defaultRule(code), enabled: true }]))
const measure = async (code: ConditionCode) =>
  (await readMeasurements(pool(), rules, Date.now(), [code])).get(code)

const [endpoint, receiver, gap] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
const about = (subject: string, value: number) => [
  expect.objectContaining({ subject, value: expect.closeTo(value, 0) }),
]

const serviceIs = (outcome: 'seen' | 'key-refused' | 'unanswered', minutesAgo = 0) =>
  pool().query(`INSERT INTO setting (key, value) VALUES ('service-state', $1)`, [
    serviceState(outcome, minutesAgo),
  ])

const anEndpoint = (status: string, minutesAgo: number) =>
  pool().query(
    `INSERT INTO endpoint_state (endpoint_uuid, seen_from, seen_until, status, name)
     VALUES ($1, now() - interval '1 day', now() - $3 * interval '1 minute', 'active', 'Kim Lima'),
            ($1, now() - $3 * interval '1 minute', now(), $2, 'Kim Lima')`,
    [endpoint, status, minutesAgo],
  )

const aReceiver = () =>
  pool().query(
    `WITH made AS (INSERT INTO receiver (id, state) VALUES ($1, 'active'))
     INSERT INTO watched_endpoint (endpoint_uuid, receiver_id, name, status) VALUES ($2, $1, 'Kim Lima', 'active')`,
    [receiver, endpoint],
  )

const aRefusal = (why: string, count: number, minutesAgo = 1) =>
  pool().query(
    `INSERT INTO refusal (receiver_id, minute, why, count, first_at, last_at)
     SELECT $1, date_trunc('minute', at), $2, $3, at, at FROM (SELECT now() - $4 * interval '1 minute' AS at) AS refused`,
    [receiver, why, count, minutesAgo],
  )

/** The id has the time of the server that took it, whose clock is so many minutes ahead of the database's. */
const aDelivery = (minutesAgo: number, dead = false, ahead = 0) =>
  pool().query(
    `WITH made AS (
       INSERT INTO delivery (id, receiver_id, received_at, body)
       VALUES ($1, $2, now() - $3 * interval '1 minute', '{"email": "ana.lima@example.com"}') RETURNING id)
     INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error)
     SELECT id, CASE WHEN $4 THEN now() END, 'ana.lima@example.com' FROM made`,
    [uuidv7Of(new Date(Date.now() + (ahead - minutesAgo) * 60_000)), receiver, minutesAgo, dead],
  )

const aGap = (kind: string, ended: number | null) =>
  pool().query(
    `INSERT INTO gap (id, kind, about, began_at, ended_at, note)
     VALUES ($1, $2, '', now() - interval '20 minutes', now() - $3 * interval '1 minute', 'Kim Lima')`,
    [gap, kind, ended],
  )

const aReport = (host: string, facts: object) =>
  pool().query('INSERT INTO process_report (process, host, facts) VALUES ($1, $2, $3)', [
    crypto.randomUUID(),
    host,
    JSON.stringify(facts),
  ])

const aTransaction = (step: string, hoursAgo: number) =>
  pool().query(
    `INSERT INTO transaction (subject_id, uuid, direction, step, flags, started_at, last_move_at, user_uuid)
     VALUES ($1, $1, 'fiatToCrypto', $2, '{}', now() - interval '1 day', now() - $3 * interval '1 hour', $1)`,
    [`transaction:${crypto.randomUUID()}`, step, hoursAgo],
  )

/** Each condition is caused, and measured with this result. */
const causes: Readonly<Record<ConditionCode, readonly [cause: () => Promise<unknown>, expected: unknown]>> = {
  'endpoint-off': [
    async () => {
      await serviceIs('seen')
      await anEndpoint('auto_disabled', 7)
    },
    about(endpoint, 7),
  ],
  'endpoint-failing': [
    async () => {
      await aReceiver()
      await aDelivery(30)
      await aRefusal('database', 5, 40)
      await aRefusal('database', 12)
    },
    about(endpoint, 12),
  ],
  'deliveries-missed': [() => aGap('down', 5), about(gap, 15)],
  silence: [() => aGap('silent', null), about(gap, 20)],
  'backlog-size': [async () => Promise.all([aDelivery(1), aDelivery(1)]), about('', 2)],
  'backlog-age': [
    async () => {
      await readMeasurements(pool(), rules, Date.now() - 120_000, ['backlog-age'])
      await Promise.all([aDelivery(60), aDelivery(1)])
    },
    // The queue was empty two minutes ago, so the older one was imported since.
    about('', 120),
  ],
  'dead-letters': [async () => Promise.all([aDelivery(1, true), aDelivery(1)]), about('', 1)],
  'no-projector': [
    async () => {
      vi.spyOn(performance, 'now').mockReturnValue(3_600_000)
      await pool().query(
        `INSERT INTO lease (name, holder, epoch, expires_at)
         VALUES ('projector:0', gen_random_uuid(), 1, clock_timestamp() - interval '70 seconds')`,
      )
    },
    about('', 70),
  ],
  'no-live-process': [() => aReport('web-1', { liveSilentSeconds: 70 }), about('web-1', 70)],
  'refused-deliveries': [
    async () => {
      await aRefusal('too-large', 4)
      await aRefusal('too-large', 4, 30)
      await aRefusal('wrong-method', 9)
    },
    about('too-large', 4),
  ],
  'key-refused': [() => serviceIs('key-refused', 3), about('', 3)],
  'service-away': [() => serviceIs('unanswered', 9), about('', 9)],
  'sign-in-attacks': [
    async () => {
      for (let n = 0; n < 3; n++)
        await pool().query(
          `INSERT INTO audit (id, action, outcome, target, ip) VALUES ($1, 'session.start', 'refused', 'Kim', '203.0.113.7')`,
          [uuidv7()],
        )
      // Most refusals of a flood are only counted.
      await pool().query(
        `INSERT INTO audit (id, action, outcome, target, details) VALUES ($1, 'access.denied', 'refused', 'sign-in by code: too-many', '{"count": 40}')`,
        [uuidv7()],
      )
      await pool().query(
        `INSERT INTO audit_counter (minute, actor, actor_role, action, target, outcome, count)
         VALUES (now(), '', '', 'access.denied', 'sign-in by wallet: too-many', 'refused', 7),
                (now(), '', '', 'access.denied', '/settings', 'refused', 5)`,
      )
      // The trigger dates entries of the application's role alone; here the owner inserts them.
      await pool().query(
        `UPDATE audit SET at = now() - interval '30 minutes' WHERE id = (SELECT id FROM audit ORDER BY id LIMIT 1)`,
      )
    },
    about('', 49),
  ],
  'audit-broken': [
    () =>
      pool().query(`INSERT INTO setting (key, value) VALUES ('audit-check', $1)`, [
        JSON.stringify({
          at: new Date().toISOString(),
          links: 1,
          older: 0,
          faultCount: 2,
          faults: ['Kim Lima'],
        }),
      ]),
    about('', 2),
  ],
  'disk-full': [
    async () => {
      await aReport('web-1', { diskPercent: 91.4 })
      await aReport('web-1', { diskPercent: 80 })
    },
    about('web-1', 91),
  ],
  'database-full': [
    async () => undefined,
    [expect.objectContaining({ subject: '', value: expect.any(Number) })],
  ],
  'month-missing': [
    async () => {
      vi.spyOn(performance, 'now').mockReturnValue(3_600_000)
    },
    expect.arrayContaining([
      expect.objectContaining({ subject: expect.stringMatching(/^delivery_\d{4}_\d\d$/) }),
    ]),
  ],
  'migration-failed': [
    () => pool().query(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_alerts'`),
    [expect.objectContaining({ subject: '20261129000020_alerts' })],
  ],
  'unknown-type': [
    () =>
      pool().query(
        `INSERT INTO event (subject_id, id, fingerprint, type, position, deliveries, first_received_at, last_received_at)
         VALUES ('x', $1, '', 'ana.lima@example.com', 1, 1, now(), now())`,
        [uuidv7()],
      ),
    about('ana.lima@example.com', 1),
  ],
  'transaction-stuck': [
    async () => Promise.all([aTransaction('PENDING', 30), aTransaction('PENDING', 2)]),
    about('', 30),
  ],
  'transaction-held': [
    async () => Promise.all([aTransaction('ON_HOLD', 50), aTransaction('ON_HOLD', 2)]),
    about('', 50),
  ],
  'certificate-expiry': [() => startTls(), about('localhost', 1)],
  'clock-difference': [
    () => aReport('web-1', { serviceClockSeconds: -45, databaseClockSeconds: 3 }),
    [...about('service', 45), ...about('database', 3)],
  ],
  'backup-old': [
    async () => {
      configure({ DATABASE_URL: database.url, RAMPART_SANDBOX_URL: '' })
      await recordBackup(pool(), {
        madeAt: new Date(Date.now() - 3 * 86_400_000).toISOString(),
        by: 'script',
      })
    },
    about('', 3),
  ],
}

let server: tls.Server | undefined

/** The public address has a certificate that is valid for so many days. */
async function startTls(days = 1) {
  server = tls.createServer(trustedAuthority().certify('localhost', new Date(Date.now() + days * 86_400_000)))
  server.on('tlsClientError', () => undefined)
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  configure({ DATABASE_URL: database.url, PUBLIC_URL: `https://localhost:${port}` })
}

describe.each(conditionCodes)('%s', (code) => {
  it('is measured when it is caused, and its message names nobody', async () => {
    const [cause, expected] = causes[code]
    await cause()
    const found = await measure(code)
    vi.restoreAllMocks()
    server?.close()
    server = undefined
    expect(found).toEqual(expected)
    const alerts = (found ?? []).map(({ subject, value }) => ({
      id: crypto.randomUUID(),
      condition: code,
      subject,
      change: 'fired' as const,
      value: value ?? 0,
      threshold: 1,
      beganAt: new Date().toISOString(),
      resolvedAt: null,
    }))
    const text = { alerts, dashboard: 'https://dash.example.com/', at: new Date().toISOString() }
    for (const form of [mailOfAlerts, slackOfAlerts, teamsOfAlerts, webhookOfAlerts])
      expect(JSON.stringify(form(text))).not.toMatch(/Kim|Lima|ana\.|203\.0\.113|transaction:/i)
  })
})

it('a condition that cannot be measured is null, and leaves the others alone', async () => {
  const logged = captureLog()
  await pool().query('ALTER TABLE refusal RENAME TO refusal_away')
  const found = await readMeasurements(pool(), rules, Date.now(), ['refused-deliveries', 'dead-letters'])
  await pool().query('ALTER TABLE refusal_away RENAME TO refusal')
  logged.stop()
  expect([found.get('refused-deliveries'), found.get('dead-letters')]).toEqual([null, about('', 0)])
  expect(logged.text()).toContain('A condition was not measured')
})

it('counts the days without a backup from the installation, until one is known', async () => {
  configure({ DATABASE_URL: database.url, RAMPART_SANDBOX_URL: '' })
  const found = (await measure('backup-old')) ?? []
  expect(found).toMatchObject([{ subject: noBackup }])
  expect(found[0]?.value).toBeLessThan(1)
  expect(wordsOfAlert('backup-old').summary(3, noBackup)).toBe(
    'No backup is known, 3 d after the installation',
  )
})

it('counts the age of a backup from now, where the machine that made it takes now for another year', async () => {
  configure({ DATABASE_URL: database.url, RAMPART_SANDBOX_URL: '' })
  const days = (count: number) => Date.now() + count * 86_400_000
  for (const [madeAt, age] of [
    [days(400), 3],
    [days(-2), 5],
  ] as const) {
    await recordBackup(pool(), { madeAt: new Date(madeAt).toISOString(), by: 'script' })
    const found = await readMeasurements(pool(), rules, days(3), ['backup-old'])
    expect(found.get('backup-old')).toEqual(about('', age))
  }
})

it.each([-30, -5, 5, 30])(
  'knows whether an endpoint was refused before or after a delivery, by a server whose clock is %s minutes ahead',
  async (ahead) => {
    await aReceiver()
    for (const why of ['database', 'wrong-secret']) await aRefusal(why, 12, 18 - ahead)
    await aDelivery(17, false, ahead)
    expect(await measure('endpoint-failing')).toEqual([])
    await pool().query('TRUNCATE delivery, delivery_pending')
    await aDelivery(19, false, ahead)
    expect(await measure('endpoint-failing')).toEqual(about(endpoint, 24))
  },
)

describe('a gap that nobody has closed', () => {
  const minuteMs = 60_000
  const addGap = async (kind: string, began: number, ended: number | null, outcome: string | null = null) => {
    const id = uuidv7()
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at, outcome, reason, closed_by, closed_at)
       VALUES ($1, $2, CASE WHEN $2 IN ('down', 'restored') THEN '' ELSE gen_random_uuid()::text END, now() - $3 * interval '1 minute', now() - $4 * interval '1 minute', $5::text,
         CASE WHEN $5::text IS NOT NULL THEN 'x' END, CASE WHEN $5::text IS NOT NULL THEN 'x' END, CASE WHEN $5::text IS NOT NULL THEN now() END)`,
      [id, kind, began, ended, outcome],
    )
    return id
  }

  it.each(['down', 'restored', 'refused', 'disabled', 'auto-disabled', 'silent'])(
    'is measured when it was of the kind %s and is over',
    async (kind) => {
      const id = await addGap(kind, 20, 5)
      await addGap(kind, 40, 30, 'recovered')
      expect(await measure('deliveries-missed')).toEqual([
        expect.objectContaining({ subject: id, value: expect.closeTo(15, 0) }),
      ])
      expect(await measure('silence')).toEqual([])
    },
  )

  it('is left to the alert of its cause while it lasts', async () => {
    for (const kind of ['disabled', 'auto-disabled', 'silent']) await addGap(kind, 20, null)
    for (const kind of ['key-refused', 'not-seen']) await addGap(kind, 20, 5)
    expect(await measure('deliveries-missed')).toEqual([])
    expect(await measure('silence')).toHaveLength(1)
  })

  it('is measured however many newer ones wait for their retries', async () => {
    const id = await addGap('down', 300, 280)
    for (let minutes = 1; minutes <= 120; minutes++) await addGap('deferred', minutes + 1, minutes)
    const found = await readMeasurements(pool(), rules, Date.now(), ['deliveries-missed'])
    expect(found.get('deliveries-missed')).toMatchObject([{ subject: id, since: expect.any(Number) }])
    expect(found.get('deliveries-missed')?.[0]?.since).toBeLessThan(Date.now() - 299 * minuteMs)
  })
})

describe('what is counted from the start of this process', () => {
  const ranFor = (ms: number) => vi.spyOn(performance, 'now').mockReturnValue(ms)
  afterEach(() => vi.restoreAllMocks())

  it('is unknown until it reaches the threshold', async () => {
    ranFor(5_000)
    await pool().query(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_alerts'`)
    const [projector, migration] = [await measure('no-projector'), await measure('migration-failed')]
    expect(projector).toMatchObject([{ subject: '', value: null }])
    expect(migration).toMatchObject([{ subject: '20261129000020_alerts', value: null }])
    // Hours later nothing has changed.
    ranFor(3 * 3_600_000)
    const later = Date.now() + 3 * 3_600_000
    const found = await readMeasurements(pool(), rules, later, ['migration-failed', 'no-projector'])
    expect(found.get('migration-failed')?.[0]?.value).toBeGreaterThan(2)
    expect(found.get('no-projector')?.[0]?.value).toBeGreaterThan(60)
  })

  it('is no sign that an old backlog is gone', async () => {
    const now = Date.now() + 86_400_000
    await aDelivery(600)
    const at = (seconds: number) => readMeasurements(pool(), rules, now + seconds * 1_000, ['backlog-age'])
    expect((await at(0)).get('backlog-age')).toMatchObject([{ value: null }])
    expect((await at(60)).get('backlog-age')).toMatchObject([{ value: null }])
    expect((await at(130)).get('backlog-age')).toMatchObject([{ value: 130 }])
    await pool().query('DELETE FROM delivery_pending')
    expect((await at(140)).get('backlog-age')).toEqual([])
    await aDelivery(600)
    // It was gone ten seconds ago, so this one came since.
    expect((await at(150)).get('backlog-age')).toMatchObject([{ value: 10 }])
    // The database's clock was set back by an hour, so nobody knows how long ago that was.
    expect((await at(-3_450)).get('backlog-age')).toMatchObject([{ value: null }])
    expect((await at(-3_300)).get('backlog-age')).toMatchObject([{ value: 150 }])
  })
})

it('knows no difference of clocks before a server has seen one', async () => {
  await aReport('web-1', { serviceClockSeconds: null, databaseClockSeconds: -2 })
  await aReport('web-2', { serviceClockSeconds: null, databaseClockSeconds: 1 })
  expect(await measure('clock-difference')).toMatchObject([
    { subject: 'service', value: null },
    { subject: 'database', value: 2 },
  ])
})

it('takes no difference for a present one that a server saw minutes ago', async () => {
  let passed = 0
  const clock = createServiceClock(Date.now, () => passed)
  clock.read(new Date(Date.now() - 60_000).toUTCString())
  const sights = { dataDir: '.', liveSilentMs: () => null, serviceClockMs: clock.offsetMs }
  const ofService = async () => {
    await writeProcessReport(pool(), sights)
    return (await measure('clock-difference'))?.find(({ subject }) => subject === 'service')?.value
  }
  expect(await ofService()).toBeCloseTo(60, -1)
  passed = 150_000
  expect(await ofService()).toBeCloseTo(60, -1)
  passed = 200_000
  expect(await ofService()).toBeNull()
  // Another server, which calls each minute, sees none.
  await aReport('web-2', { serviceClockSeconds: 0 })
  expect(await ofService()).toBe(0)
})

it('does not know how full the disk of a server is that was killed, until an hour later', async () => {
  await aReport('web-1', { diskPercent: 99 })
  await aReport('web-2', { diskPercent: 50 })
  const silent = (minutes: number) =>
    pool().query(
      `UPDATE process_report SET at = now() - $1 * interval '1 minute' WHERE facts->>'diskPercent' = '99'`,
      [minutes],
    )
  await silent(2)
  const others = { subject: 'web-2', value: 50 }
  expect(await measure('disk-full')).toMatchObject([{ subject: 'web-1', value: null }, others])
  // Another server of this machine runs.
  await aReport('web-1', { diskPercent: 40 })
  expect(await measure('disk-full')).toMatchObject([{ subject: 'web-1', value: 40 }, others])
  await pool().query(`DELETE FROM process_report WHERE facts->>'diskPercent' = '40'`)
  await silent(61)
  expect(await measure('disk-full')).toMatchObject([others])
})

it('does not know how full a disk is that its server cannot read', async () => {
  const unread = { dataDir: './missing', liveSilentMs: () => null, serviceClockMs: () => null }
  await writeProcessReport(pool(), unread)
  expect(await measure('disk-full')).toMatchObject([{ subject: os.hostname(), value: null }])
  // It is known to have no live process.
  expect(await measure('no-live-process')).toEqual([])
  // Another server of this machine can.
  await aReport(os.hostname(), { diskPercent: 40 })
  expect(await measure('disk-full')).toMatchObject([{ subject: os.hostname(), value: 40 }])
})

it('does not know how full the disk of a server is that was stopped in order, as of one that was killed', async () => {
  await writeProcessReport(pool(), { dataDir: '.', liveSilentMs: () => null, serviceClockMs: () => null })
  expect(await measure('disk-full')).toMatchObject([{ subject: os.hostname(), value: expect.any(Number) }])
  await endProcessReport(pool())
  expect(await measure('disk-full')).toMatchObject([{ value: null }])
  await pool().query(`UPDATE process_report SET at = at - interval '1 hour'`)
  expect(await measure('disk-full')).toEqual([])
})

it('knows the disk of a container again that was made anew, by the name that its operator gives the machine', async () => {
  configure({ DATABASE_URL: database.url, RAMPART_MACHINE: 'node-1' })
  await aReport('node-1', { diskPercent: 99 })
  await pool().query(`UPDATE process_report SET at = now() - interval '2 minutes'`)
  expect(await measure('disk-full')).toMatchObject([{ subject: 'node-1', value: null }])
  await writeProcessReport(pool(), { dataDir: '.', liveSilentMs: () => null, serviceClockMs: () => null })
  expect(await measure('disk-full')).toMatchObject([{ subject: 'node-1', value: expect.any(Number) }])
})

it('takes no report for a present one that is of the future, because the clock was set back since', async () => {
  await aReport('web-1', { diskPercent: 99 })
  await pool().query(`UPDATE process_report SET at = now() + interval '30 minutes'`)
  await aReport('web-2', { diskPercent: 50 })
  expect(await measure('disk-full')).toMatchObject([
    { subject: 'web-1', value: null },
    { subject: 'web-2', value: 50 },
  ])
})

it('says of a certificate that has expired that it has', async () => {
  await startTls(-1)
  const found = (await measure('certificate-expiry')) ?? []
  server?.close()
  server = undefined
  expect(found).toMatchObject([{ subject: 'localhost', value: 0 }])
  const words = wordsOfAlert('certificate-expiry').summary(found[0]?.value ?? 1, 'localhost')
  expect(words).toBe('The certificate of localhost has expired')
})

it('measures nothing of a rule that is off', async () => {
  const off = new Map([['dead-letters' as const, { ...defaultRule('dead-letters'), enabled: false }]])
  expect((await readMeasurements(pool(), off, Date.now(), ['dead-letters'])).size).toBe(0)
})

describe.each([-24, -1, 1, 24])('where this machine’s clock was %s hours ahead at its start', (hours) => {
  beforeEach(() => {
    vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(Date.now() + hours * 3_600_000 - 600_000)
    vi.spyOn(performance, 'now').mockReturnValue(600_000)
  })
  afterEach(() => vi.restoreAllMocks())

  it.each([
    ['endpoint-off', 'seen', 0],
    ['key-refused', 'key-refused', 3],
    ['service-away', 'unanswered', 9],
  ] as const)('knows at once of %s', async (code, outcome, minutes) => {
    await serviceIs(outcome, minutes)
    await anEndpoint('auto_disabled', 7)
    expect(await measure(code)).toHaveLength(1)
  })

  it('takes no state from before the start for a present one', async () => {
    await pool().query(`INSERT INTO setting (key, value) VALUES ('service-state', $1)`, [
      serviceState('unanswered', 20, 11),
    ])
    expect(await measure('service-away')).toBeNull()
  })

  it('counts what is measured since the start', async () => {
    await pool().query(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_alerts'`)
    const always = new Map(
      (['no-projector', 'migration-failed'] as const).map((code) => [
        code,
        { ...defaultRule(code), threshold: 0 },
      ]),
    )
    const found = await readMeasurements(pool(), always, Date.now(), [...always.keys()])
    expect(found.get('no-projector')).toMatchObject([{ value: expect.closeTo(600, 0) }])
    expect(found.get('migration-failed')?.[0]?.value).toBeCloseTo(1 / 6, 2)
  })
})

it('does not know whether the API key is rejected while the provider does not answer', async () => {
  await serviceIs('unanswered', 2)
  expect(await measure('key-refused')).toBeNull()
  await pool().query('TRUNCATE setting')
  await serviceIs('seen')
  expect(await measure('key-refused')).toEqual([])
})

it('takes no state from before this start for the present one', async () => {
  const dayMinutes = 1_440
  await pool().query(`INSERT INTO setting (key, value) VALUES ('service-state', $1)`, [
    serviceState('unanswered', dayMinutes, dayMinutes),
  ])
  expect(await measure('service-away')).toBeNull()
})
