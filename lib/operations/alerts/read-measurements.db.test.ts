import crypto from 'node:crypto'
import { once } from 'node:events'
import tls from 'node:tls'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { trustedAuthority } from '../../../test/certificates.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { captureLog } from '../../../test/log.ts'
import { configure } from '../../../test/service.ts'
import { serviceState } from '../../../test/service-state.ts'
import { mailOfAlerts, slackOfAlerts, teamsOfAlerts, webhookOfAlerts } from '../labels/alert-messages.ts'
import { recordBackup } from '../restore/restore-state.ts'
import { defaultRule } from '../rules/alert-changes.ts'
import { type ConditionCode, conditionCodes } from '../rules/alert-conditions.ts'
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

const aDelivery = (minutesAgo: number, dead = false) =>
  pool().query(
    `WITH made AS (
       INSERT INTO delivery (id, receiver_id, received_at, body)
       VALUES ($1, $2, now() - $3 * interval '1 minute', '{"email": "ana.lima@example.com"}') RETURNING id)
     INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error)
     SELECT id, CASE WHEN $4 THEN now() END, 'ana.lima@example.com' FROM made`,
    [uuidv7(), receiver, minutesAgo, dead],
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
    async () => undefined,
    [expect.objectContaining({ subject: '', value: expect.any(Number) })],
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

/** The public address has a certificate that is valid for a day. */
async function startTls() {
  server = tls.createServer(trustedAuthority().certify('localhost'))
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
      value,
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
  expect(found).toMatchObject([{ subject: '' }])
  expect(found[0]?.value).toBeLessThan(1)
})

it('measures nothing of a rule that is off', async () => {
  const off = new Map([['dead-letters' as const, { ...defaultRule('dead-letters'), enabled: false }]])
  expect((await readMeasurements(pool(), off, Date.now(), ['dead-letters'])).size).toBe(0)
})

it('takes no state from before this start for the present one', async () => {
  const dayMinutes = 1_440
  await pool().query(`INSERT INTO setting (key, value) VALUES ('service-state', $1)`, [
    serviceState('unanswered', dayMinutes, dayMinutes),
  ])
  expect(await measure('service-away')).toBeNull()
})
