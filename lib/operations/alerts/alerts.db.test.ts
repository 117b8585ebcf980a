import crypto from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { Webhook } from 'standardwebhooks'
import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openPool, pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { startMailer } from '#lib/platform/mail/mail-queue.ts'
import { encodeCursor } from '#lib/platform/paging/paging.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { captureLog } from '../../../test/log.ts'
import { startMailServer } from '../../../test/mail-server.ts'
import { configure } from '../../../test/service.ts'
import { serviceState } from '../../../test/service-state.ts'
import { openRetentionSweeper } from '../retention/sweep.ts'
import { emailChannelId } from '../rules/alert-changes.ts'
import type { ConditionCode } from '../rules/alert-conditions.ts'
import { readStatus, statusFor } from '../status/status.ts'
import {
  AddAlertChannelSchema,
  addAlertChannel,
  ChangeAlertChannelSchema,
  changeAlertChannel,
  listAlertChannels,
  removeAlertChannel,
  testAlertChannel,
} from './alert-channels.ts'
import { ChangeAlertReceivingSchema, changeAlertReceiving, readAlertReceiving } from './alert-members.ts'
import { ChangeAlertRuleSchema, changeAlertRule, listAlertRules } from './alert-rules.ts'
import { acknowledgeAlert, listAlertHistory, listAlerts, unacknowledgeAlert } from './alerts.ts'
import { type ChannelKind, channelKinds, countChannelsByKey, moveChannels } from './channel-store.ts'
import { readProcessReports } from './process-report.ts'
import { AlertRounds, startAlerts, writeAlertMail } from './run-alerts.ts'
import { startSendingMessages } from './send-messages.ts'

let database: TestConfiguration
let mails: Awaited<ReturnType<typeof startMailServer>>
let sink: Sink

const reason = 'a test wants it'
const admin = callerWith('admin', { name: 'Kim Admin', email: 'kim@example.com' })
const browser = newBrowser()
/** Nothing waits for others, and an alert is resolved as soon as nothing is wrong. */
const atOnce = { settleMs: 0, groupMs: 0, pauseMs: 0 }

interface Taken {
  /** The query of the address names the channel. */
  readonly channel: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

interface Sink {
  readonly url: string
  readonly taken: Taken[]
  /** The sink answers with this status; null for no answer. */
  // biome-ignore lint/plugin: each test says what the sink answers
  status: number | null
  stop(): Promise<void>
}

async function startSink(): Promise<Sink> {
  const taken: Sink['taken'] = []
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    if (sink.status !== null && sink.status < 300)
      taken.push({ channel: request.url?.split('?')[1] ?? '', headers: request.headers, body })
    if (sink.status !== null) response.writeHead(sink.status).end()
    else request.socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    taken,
    status: 200,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const settings = (given: Record<string, string> = {}) => ({
  SMTP_URL: mails.url,
  MAIL_FROM: 'Rampart <rampart@example.com>',
  // The sandbox's receiver is the only channel on this machine.
  RAMPART_SANDBOX_URL: sink.url,
  ...given,
})

beforeAll(async () => {
  mails = await startMailServer()
  sink = await startSink()
  database = await startDatabase(settings())
})
afterAll(async () => {
  await database.stop()
  await sink.stop()
  await mails.stop()
})
beforeEach(async () => {
  configure({ DATABASE_URL: database.url, ...settings() })
  sink.status = 200
  sink.taken.length = 0
  mails.received.length = 0
  await pool().query(
    `TRUNCATE alert, alert_rule, alert_channel, alert_member, alert_news, alert_message, mail, member, person, audit,
       admin_notice, delivery_pending, process_report, refusal, lease, heartbeat`,
  )
  await pool().query(`DELETE FROM setting WHERE key IN ('service-state', 'audit-check')`)
  await pool().query(
    `INSERT INTO lease (name, holder, epoch, expires_at)
     VALUES ('projector:0', gen_random_uuid(), 1, clock_timestamp() + interval '1 second')`,
  )
})

/** The condition `audit-broken` fires while the last check of the chain has faults. */
const breakChain = (faultCount: number) =>
  pool().query(
    `INSERT INTO setting (key, value) VALUES ('audit-check', $1)
     ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`,
    [JSON.stringify({ at: new Date().toISOString(), links: 1, older: 0, faultCount, faults: [] })],
  )

const serviceIs = (outcome: 'seen' | 'key-refused' | 'unanswered', minutesAgo = 0) =>
  pool().query(
    `INSERT INTO setting (key, value) VALUES ('service-state', $1)
     ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`,
    [serviceState(outcome, minutesAgo)],
  )

const member = (email: string | null, role = 'admin') =>
  prisma().member.create({ data: { id: uuidv7(), name: 'M', role, email } })

async function channel(kind: ChannelKind, name: string = kind, given = {}) {
  const form = AddAlertChannelSchema.parse({
    kind,
    name,
    address: `${sink.url}/receiver?${name}`,
    reason,
    ...given,
  })
  return addAlertChannel(admin, form, browser)
}

/** Another process may run the next round. */
async function round(times = atOnce) {
  const rounds = new AlertRounds(pool(), times)
  await rounds.run()
  await rounds.release()
}

const left = `SELECT FROM alert_message WHERE state = 'waiting' AND (next_at <= clock_timestamp() OR claimed_until IS NOT NULL)
  UNION ALL SELECT FROM mail WHERE state = 'waiting' AND (next_at <= clock_timestamp() OR claimed_until IS NOT NULL)`

/** Two processes send at the same time whatever waits. */
async function send(processes = 1) {
  const senders = Array.from({ length: processes }, () => [
    startSendingMessages(pool(), 50),
    startMailer(
      pool(),
      (mail) => writeAlertMail(pool(), mail),
      async () => undefined,
      50,
    ),
  ]).flat()
  try {
    await expect.poll(async () => (await pool().query(left)).rowCount, { timeout: 20_000 }).toBe(0)
  } finally {
    await Promise.all(senders.map((sender) => sender.stop()))
  }
}

const reported = () => sink.taken.splice(0).map(({ channel: of, body }) => [of, stateIn(body)])
const stateIn = (body: string) =>
  body.includes('No longer watched')
    ? 'unwatched'
    : /Resolved|"state":"resolved"/.test(body)
      ? 'resolved'
      : 'firing'
const mailed = () => mails.received.splice(0).map(({ to, text }) => [to[0], /Subject: (.*)/.exec(text)?.[1]])
const codes = async () => (await listAlerts(admin)).map(({ condition }) => condition)

async function changeRule(condition: ConditionCode, given: object = {}) {
  const rule = (await listAlertRules(admin)).find((one) => one.condition === condition)
  const form = {
    condition,
    enabled: 'true',
    threshold: rule?.threshold,
    to: 'all',
    repeatHours: 4,
    reason,
    ...given,
  }
  return changeAlertRule(admin, ChangeAlertRuleSchema.parse(form), browser)
}

describe('an alert', () => {
  it('is sent once to each channel and each admin, and once again when it is resolved', async () => {
    await member('one@example.com')
    await member('support@example.com', 'support')
    await member(null)
    for (const kind of ['slack', 'teams', 'webhook'] as const) await channel(kind)
    await breakChain(2)
    for (let n = 0; n < 3; n++) await round()
    await send()
    expect(reported().toSorted()).toEqual(['slack', 'teams', 'webhook'].map((kind) => [kind, 'firing']))
    expect(mailed()).toEqual([
      ['one@example.com', expect.stringContaining('Urgent: The audit log was changed')],
    ])
    expect(await codes()).toEqual(['audit-broken'])
    await breakChain(0)
    for (let n = 0; n < 3; n++) await round()
    await send()
    expect(reported().toSorted()).toEqual(['slack', 'teams', 'webhook'].map((kind) => [kind, 'resolved']))
    expect(mailed()).toEqual([['one@example.com', expect.stringContaining('Resolved: Audit chain broken')]])
    expect(await codes()).toEqual([])
    expect((await listAlertHistory(admin)).alerts).toMatchObject([
      { condition: 'audit-broken', worst: 2, messages: { waiting: 0, sent: 8, failed: 0 } },
    ])
  })

  it('is sent once where two processes measure and send', async () => {
    await channel('webhook')
    await member('one@example.com')
    await breakChain(1)
    const [one, other] = [new AlertRounds(pool(), atOnce), new AlertRounds(pool(), atOnce)]
    for (let n = 0; n < 3; n++)
      expect((await Promise.all([one.run(), other.run()])).filter((held) => held).length).toBeLessThanOrEqual(
        1,
      )
    await send(2)
    expect([reported(), mailed().length]).toEqual([[['webhook', 'firing']], 1])
    await one.release()
    await other.release()
    await breakChain(0)
    for (let n = 0; n < 2; n++) await Promise.all([one.run(), other.run()])
    await send(2)
    expect([reported(), mailed().length]).toEqual([[['webhook', 'resolved']], 1])
  })

  it('waits for others of the same moment, and is told with them', async () => {
    await channel('webhook')
    await breakChain(1)
    await serviceIs('key-refused')
    await round({ ...atOnce, groupMs: 60_000 })
    expect((await pool().query('SELECT FROM alert_message')).rowCount).toBe(0)
    await pool().query('UPDATE alert_news SET due_at = now()')
    await round()
    await send()
    const [message, ...more] = sink.taken
    expect(more).toEqual([])
    const { data } = JSON.parse(message?.body ?? '')
    expect(data.alerts.map((one: { condition: string }) => one.condition).toSorted()).toEqual([
      'audit-broken',
      'key-refused',
    ])
  })

  it('is not resolved while its value comes and goes', async () => {
    await breakChain(1)
    const settling = { ...atOnce, settleMs: 60_000 }
    for (const faults of [1, 0, 1, 0]) {
      await breakChain(faults)
      await round(settling)
    }
    expect(await codes()).toEqual(['audit-broken'])
    await pool().query(`UPDATE alert SET ok_since = now() - interval '61 s'`)
    await round(settling)
    expect(await codes()).toEqual([])
  })

  it('begins to settle anew when the clock is set back meanwhile', async () => {
    await breakChain(1)
    await round()
    await breakChain(0)
    const settling = { ...atOnce, settleMs: 60_000 }
    await round(settling)
    await pool().query(`UPDATE alert SET ok_since = now() + interval '1 hour'`)
    await round(settling)
    const { rows } = await pool().query(
      'SELECT ok_since <= now() AS anew FROM alert WHERE resolved_at IS NULL',
    )
    expect(rows).toEqual([{ anew: true }])
  })
})

it('goes on while its cause does, however long the name of its subject is', async () => {
  await pool().query(
    `INSERT INTO event (subject_id, id, fingerprint, type, position, deliveries, first_received_at, last_received_at)
     VALUES ('x', $1, '', $2, 1, 1, now(), now())`,
    [uuidv7(), `${'x'.repeat(299)}😀${'y'.repeat(99)}`],
  )
  for (let n = 0; n < 3; n++) await round()
  expect([await codes(), (await listAlertHistory(admin)).alerts]).toEqual([['unknown-type'], []])
  await pool().query('DELETE FROM event')
})

describe('a database whose clock is set back by an hour', () => {
  /** The clock is behind by so much, and the database is away while `isAway`. The time that passed is this process's. */
  const moved = { behindMs: 0, passedMs: 0, isAway: false }
  const movedPool = () =>
    new Proxy(pool(), {
      get(target, key) {
        const own: unknown = Reflect.get(target, key)
        if (typeof own !== 'function') return own
        if (key !== 'query') return own.bind(target)
        return async (...asked: unknown[]) => {
          if (moved.isAway) throw new Error('The database is away')
          if (asked[0] !== 'SELECT clock_timestamp() AS now') return own.apply(target, asked)
          return { rows: [{ now: new Date(Date.now() + moved.passedMs - moved.behindMs) }] }
        }
      },
    })

  const pass = (minutes: number) => {
    moved.passedMs += minutes * 60_000
    vi.spyOn(performance, 'now').mockReturnValue(60_000 + moved.passedMs)
  }

  afterEach(async () => {
    vi.restoreAllMocks()
    await pool().query('DELETE FROM event')
  })

  it('is measured as before: what is slow to measure, and what is counted since it came back', async () => {
    const rounds = new AlertRounds(movedPool(), atOnce)
    pass(0)
    await pool().query('DELETE FROM lease')
    moved.isAway = true
    await expect(rounds.run()).rejects.toThrow('away')
    moved.isAway = false
    await rounds.run()
    // It came back just now, so nobody knows since when no projector runs.
    expect(await codes()).toEqual([])
    moved.behindMs = 3_600_000
    await pool().query(
      `INSERT INTO event (subject_id, id, fingerprint, type, position, deliveries, first_received_at, last_received_at)
       VALUES ('x', $1, '', 'new', 1, 1, now(), now())`,
      [uuidv7()],
    )
    pass(6)
    await rounds.run()
    await rounds.release()
    expect((await codes()).toSorted()).toEqual(['no-projector', 'unknown-type'])
  })
})

describe('an acknowledged alert', () => {
  const agePast = (hours: number) =>
    pool().query(`UPDATE alert SET notified_at = now() - $1 * interval '1 hour'`, [hours])

  it('is not repeated, while one that nobody acknowledged is', async () => {
    await channel('slack')
    await breakChain(1)
    await round()
    await agePast(5)
    await round()
    await send()
    expect(sink.taken.splice(0)).toHaveLength(1)
    await agePast(5)
    await round()
    await send()
    expect(sink.taken.splice(0).map(({ body }) => body)).toEqual([expect.stringContaining('Still firing')])
    const [alert] = await listAlerts(admin)
    await acknowledgeAlert(admin, { id: alert?.id ?? '' }, browser)
    await agePast(5)
    await round()
    await send()
    expect(sink.taken).toEqual([])
    const counted = statusFor('admin', await readStatus())?.counts.alerts
    expect([counted, (await listAlerts(admin)).length]).toEqual([0, 1])
    await expect(acknowledgeAlert(admin, { id: alert?.id ?? '' }, browser)).rejects.toMatchObject({
      code: 'alert-not-open',
    })
    await breakChain(0)
    await round()
    await round()
    await send()
    expect(reported()).toEqual([['slack', 'resolved']])
  })

  it('is repeated again once somebody takes that back', async () => {
    await channel('slack')
    await breakChain(1)
    await round()
    await send()
    expect(reported()).toEqual([['slack', 'firing']])
    const id = (await listAlerts(admin))[0]?.id ?? ''
    await expect(unacknowledgeAlert(admin, { id }, browser)).rejects.toMatchObject({
      code: 'alert-not-acknowledged',
    })
    await acknowledgeAlert(admin, { id }, browser)
    // Support sees no alert about the audit.
    await expect(unacknowledgeAlert(callerWith('support'), { id }, browser)).rejects.toMatchObject({
      code: 'alert-not-acknowledged',
    })
    await unacknowledgeAlert(admin, { id }, browser)
    await round()
    await send()
    expect(sink.taken).toEqual([])
    expect(await listAlerts(admin)).toMatchObject([{ id, acknowledged: null }])
    expect(statusFor('admin', await readStatus())?.counts.alerts).toBe(1)
    await agePast(5)
    await round()
    await send()
    expect(sink.taken.splice(0).map(({ body }) => body)).toEqual([expect.stringContaining('Still firing')])
    const { rows } = await pool().query(
      `SELECT action, target, details FROM audit WHERE action LIKE 'alert.%acknowledge' ORDER BY id`,
    )
    const details = { condition: 'audit-broken' }
    expect(rows).toEqual([
      { action: 'alert.acknowledge', target: id, details },
      { action: 'alert.unacknowledge', target: id, details },
    ])
  })

  it('is repeated once it is much worse than it was then, until somebody acknowledges it again', async () => {
    await channel('slack')
    await breakChain(2)
    await round()
    await breakChain(1)
    await round()
    await send()
    expect(reported()).toEqual([['slack', 'firing']])
    const id = (await listAlerts(admin))[0]?.id ?? ''
    await acknowledgeAlert(admin, { id }, browser)
    await round()
    await send()
    expect(sink.taken).toEqual([])
    // It was as bad before, but not when it was acknowledged.
    await breakChain(2)
    for (let n = 0; n < 2; n++) await round()
    await send()
    expect(sink.taken.splice(0).map(({ body }) => body)).toEqual([
      expect.stringMatching(/Still firing.*2 faults/),
    ])
    expect(await listAlerts(admin)).toMatchObject([{ id, acknowledged: null }])
    await acknowledgeAlert(admin, { id }, browser)
    await round()
    await send()
    expect(sink.taken).toEqual([])
  })

  it('of a large backlog is repeated once that has doubled, and not because its threshold was raised', async () => {
    const queue = (count: number) =>
      pool().query(
        'INSERT INTO delivery_pending (delivery_id) SELECT gen_random_uuid() FROM generate_series(1, $1::int)',
        [count],
      )
    await channel('slack')
    await changeRule('backlog-size', { threshold: 2 })
    await queue(5)
    await round()
    await send()
    expect(sink.taken.splice(0).map(({ body }) => body)).toEqual([
      expect.stringContaining('At least 5 deliveries wait'),
    ])
    await acknowledgeAlert(admin, { id: (await listAlerts(admin))[0]?.id ?? '' }, browser)
    await changeRule('backlog-size', { threshold: 4 })
    await queue(4)
    await round()
    await send()
    expect(sink.taken).toEqual([])
    await queue(1)
    await round()
    await send()
    expect(sink.taken.splice(0).map(({ body }) => body)).toEqual([
      expect.stringMatching(/Still firing.*10 deliveries wait/),
    ])
    expect(await listAlerts(admin)).toMatchObject([{ value: 10, threshold: 2, acknowledged: null }])
  })

  it('is sent at once when that is taken back before anybody was notified', async () => {
    await channel('slack')
    await changeRule('audit-broken', { repeatHours: 0 })
    await breakChain(1)
    await round({ ...atOnce, groupMs: 60_000 })
    const id = (await listAlerts(admin))[0]?.id ?? ''
    await acknowledgeAlert(admin, { id }, browser)
    await round()
    await send()
    expect(sink.taken).toEqual([])
    await unacknowledgeAlert(admin, { id }, browser)
    for (let n = 0; n < 2; n++) await round()
    await send()
    expect(reported()).toEqual([['slack', 'firing']])
  })
})

describe('quiet hours', () => {
  const fromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
  const now = { quietFrom: fromNow(-1), quietUntil: fromNow(2), zone: 'UTC' }

  it('hold back a warning, but nothing urgent', async () => {
    await channel('slack', 'slack', now)
    await serviceIs('unanswered', 10)
    await round()
    await send()
    expect([await codes(), reported()]).toEqual([['service-away'], []])
    await breakChain(1)
    await round()
    await send()
    expect(sink.taken.map(({ body }) => body)).toEqual([expect.not.stringContaining('has not answered')])
    expect(sink.taken[0]?.body).toContain('audit')
  })

  it('are over: one message tells of a warning with its end', async () => {
    await channel('slack', 'slack', now)
    await serviceIs('unanswered', 10)
    await round()
    await serviceIs('seen')
    await round()
    await round()
    await pool().query('UPDATE alert_news SET due_at = now()')
    await round()
    await send()
    expect(sink.taken.map(({ body }) => body)).toEqual([expect.stringContaining('Resolved: Provider away')])
  })

  it.each([
    ['for good: others are told of the warning', 'false', [['teams', 'firing']]],
    ['and on again at once: the channel alone is told of the warning later', 'true', []],
  ])('of a channel that is switched off %s', async (_how, last, byOthers) => {
    const { id } = await channel('slack', 'slack', now)
    await changeRule('service-away', { threshold: 5, to: 'chosen', channels: id })
    await channel('teams')
    await serviceIs('unanswered', 10)
    for (let n = 0; n < 2; n++) await round()
    await send()
    expect(reported()).toEqual([])
    for (const enabled of ['false', last]) {
      const form = { id, name: 'slack', enabled, reason, ...now }
      await changeAlertChannel(admin, ChangeAlertChannelSchema.parse(form), browser)
    }
    for (let n = 0; n < 3; n++) await round()
    await send()
    expect(reported()).toEqual(byOthers)
    // The channel is told after its quiet hours, if it is on.
    await pool().query('UPDATE alert_news SET due_at = now()')
    await round()
    await send()
    expect(reported()).toEqual(last === 'true' ? [['slack', 'firing']] : [])
  })

  const receive = (id: string, receives: string) =>
    changeAlertReceiving(
      callerWith('admin', { memberId: id }),
      ChangeAlertReceivingSchema.parse({ receives, ...now }),
      browser,
    )

  it.each([
    ['leaves', (id: string) => prisma().member.update({ where: { id }, data: { removedAt: new Date() } })],
    [
      'has no address any more',
      (id: string) => prisma().member.update({ where: { id }, data: { email: null } }),
    ],
    ['wants only urgent alerts now', (id: string) => receive(id, 'urgent')],
    [
      'gets no mails, because no mail server is set now',
      async () => configure({ DATABASE_URL: database.url, ...settings({ SMTP_URL: '', MAIL_FROM: '' }) }),
    ],
  ])('of a member who %s: others are told of the warning', async (_how, end) => {
    const { id } = await member('kim@example.com')
    await receive(id, 'all')
    await changeRule('service-away', { threshold: 5, to: 'chosen', channels: emailChannelId })
    await serviceIs('unanswered', 10)
    for (let n = 0; n < 2; n++) await round()
    await send()
    expect([reported(), mailed()]).toEqual([[], []])
    await end(id)
    // Another configuration has other keys.
    await channel('teams')
    for (let n = 0; n < 3; n++) await round()
    await send()
    expect([reported(), mailed()]).toEqual([[['teams', 'firing']], []])
  })
})

it('counts a pause from the last message, also where news went along before their time', async () => {
  await channel('slack')
  await serviceIs('unanswered', 10)
  await round()
  const pausing = { ...atOnce, pauseMs: 240_000 }
  await serviceIs('seen')
  await round(pausing)
  const waiting = async () => (await pool().query('SELECT FROM alert_news WHERE message_id IS NULL')).rowCount
  expect(await waiting()).toBe(1)
  await breakChain(1)
  await round(pausing)
  expect(await waiting()).toBe(0)
  expect((await pool().query('SELECT FROM alert_news WHERE due_at > clock_timestamp()')).rowCount).toBe(0)
})

it('news wait no longer than else when the clock is set back', async () => {
  const setBack = () =>
    pool().query(`UPDATE alert_news SET at = at + interval '1 hour', due_at = due_at + interval '1 hour'`)
  const waiting = async () =>
    (
      await pool().query(
        `SELECT due_at < now() + interval '5 min' AS soon FROM alert_news WHERE message_id IS NULL`,
      )
    ).rows
  const pausing = { ...atOnce, pauseMs: 240_000 }
  await channel('slack')
  await serviceIs('unanswered', 10)
  await round()
  await setBack()
  await serviceIs('seen')
  await round(pausing)
  expect(await waiting()).toEqual([{ soon: true }])
  await setBack()
  await round(pausing)
  expect(await waiting()).toEqual([])
})

describe('what is away', () => {
  /** Tries are due again, as if their pause were over. */
  const makeDue = () =>
    pool().query(`UPDATE alert_message SET next_at = now(); UPDATE mail SET next_at = now()`)

  it('a channel that is away for long gets what happened meanwhile in one message, in order', async () => {
    await channel('slack')
    await breakChain(1)
    sink.status = 503
    await round()
    await send()
    expect((await listAlertChannels(admin))[1]).toMatchObject({ fault: 'It answered 503.', waiting: 1 })
    await breakChain(0)
    await round()
    await round()
    sink.status = 200
    await makeDue()
    await send()
    expect(sink.taken.splice(0).map(({ body }) => body)).toEqual([expect.stringContaining('Resolved: Audit')])
    expect((await listAlertChannels(admin))[1]).toMatchObject({ fault: null, waiting: 0 })
  })

  it('a channel that is away gets the urgent alert first, and the rest in another message', async () => {
    await channel('webhook')
    await channel('slack')
    sink.status = 503
    const types = Array.from({ length: 230 }, (_, index) => `made-up-${index}`)
    await pool().query(
      `INSERT INTO event (subject_id, id, fingerprint, type, position, deliveries, first_received_at, last_received_at)
       SELECT 'x', gen_random_uuid(), convert_to(type, 'UTF8'), type, 1, 1, now(), now() FROM unnest($1::text[]) AS type`,
      [types],
    )
    await pool().query(
      `INSERT INTO alert (id, condition, subject, value, worst, threshold, began_at, fired_at)
       SELECT gen_random_uuid(), 'unknown-type', type, 1, 1, 1, now(), now() - interval '1 hour' FROM unnest($1::text[]) AS type`,
      [types],
    )
    await pool().query(
      `INSERT INTO alert_news (id, alert_id, change, channel_id, due_at)
       SELECT gen_random_uuid(), alert.id, 'fired', alert_channel.id, now() FROM alert, alert_channel`,
    )
    await round()
    await send()
    await breakChain(1)
    await round()
    const { rows } = await pool().query<{ left: number }>(
      `SELECT max(extract(epoch FROM give_up_at - now()))::float8 AS left FROM alert_message`,
    )
    expect(rows[0]?.left).toBeLessThanOrEqual(24 * 3_600)
    sink.status = 200
    await makeDue()
    await send()
    await round()
    await send()
    const bodies = (name: string) => sink.taken.filter((one) => one.channel === name).map(({ body }) => body)
    const [first, second] = bodies('webhook').map((body) => JSON.parse(body).data.alerts)
    expect([first.length, first[0].condition, second.length]).toEqual([200, 'audit-broken', 31])
    expect(new Set([...first, ...second].map(({ id }: { id: string }) => id)).size).toBe(231)
    expect(bodies('slack')[0]).toMatch(/^{"text":"\*Urgent: The audit log/)
    await pool().query('TRUNCATE event')
  })

  it('a mail server that is away for an hour takes each mail once afterwards', async () => {
    await member('one@example.com')
    await breakChain(1)
    configure({ DATABASE_URL: database.url, ...settings({ SMTP_URL: 'smtp://127.0.0.1:1' }) })
    await round()
    await send()
    expect(await prisma().mail.findMany()).toMatchObject([{ state: 'waiting', tries: 1, kind: 'alerts' }])
    configure({ DATABASE_URL: database.url, ...settings() })
    await makeDue()
    await send(2)
    expect(mailed()).toHaveLength(1)
    await breakChain(0)
    await round()
    await round()
    await send(2)
    expect(mailed()).toEqual([['one@example.com', expect.stringContaining('Resolved')]])
  })

  it('a mail that waits takes the end with it, and one of a member who left is not written', async () => {
    const one = await member('one@example.com')
    const gone = await member('gone@example.com')
    await breakChain(1)
    configure({ DATABASE_URL: database.url, ...settings({ SMTP_URL: 'smtp://127.0.0.1:1' }) })
    await round()
    await send()
    await prisma().member.update({ where: { id: gone.id }, data: { removedAt: new Date() } })
    await breakChain(0)
    await round()
    await round()
    configure({ DATABASE_URL: database.url, ...settings() })
    await makeDue()
    await send()
    expect(mailed()).toEqual([[one.email, expect.stringContaining('Resolved')]])
    expect((await pool().query('SELECT FROM alert_news WHERE message_id IS NULL')).rowCount).toBe(0)
  })

  it('a mail that waits follows its member to another address, with the news since', async () => {
    const kim = await member('later@example.com')
    await breakChain(1)
    await round()
    await send()
    await prisma().member.update({ where: { id: kim.id }, data: { email: 'kim@example.com' } })
    await serviceIs('key-refused')
    await round()
    await send()
    expect(mailed()).toEqual([['kim@example.com', expect.stringContaining('2 alerts')]])
    expect(await prisma().mail.findMany()).toMatchObject([{ recipient: 'kim@example.com', state: 'sent' }])
    expect((await listAlerts(admin)).map(({ messages }) => messages)).toEqual([
      { waiting: 0, sent: 1, failed: 0 },
      { waiting: 0, sent: 1, failed: 0 },
    ])
  })

  it('a mail that waits for two members of one mailbox has the alerts of both', async () => {
    const support = await member('later@example.com', 'support')
    const choose = { receives: 'all', quietFrom: null, quietUntil: null, zone: null } as const
    await changeAlertReceiving(callerWith('support', { memberId: support.id }), choose, browser)
    await member('later@example.com')
    await breakChain(1)
    await serviceIs('unanswered', 10)
    await round()
    await send()
    await prisma().member.updateMany({ data: { email: 'team@example.com' } })
    await makeDue()
    await send()
    expect(mailed()).toEqual([['team@example.com', expect.stringContaining('2 alerts')]])
  })

  it('a mail that waits for two members of one mailbox, one of whom moves, becomes two', async () => {
    const kim = await member('later@example.com')
    await member('later@example.com')
    await breakChain(1)
    await round()
    await send()
    expect(await prisma().mail.count()).toBe(1)
    await prisma().member.updateMany({ where: { id: kim.id }, data: { email: 'kim@example.com' } })
    await makeDue()
    for (let n = 0; n < 2; n++) {
      await send()
      await round()
    }
    expect(mailed()).toEqual([['kim@example.com', expect.stringContaining('audit')]])
    expect(await prisma().mail.findMany({ where: { state: 'waiting' } })).toMatchObject([
      { recipient: 'later@example.com' },
    ])
    expect(await listAlerts(admin)).toMatchObject([{ messages: { waiting: 1, sent: 1, failed: 0 } }])
  })

  it('a mail that waits for a member who left: another member gets the alert', async () => {
    const kim = await member('later@example.com')
    await breakChain(1)
    await round()
    await send()
    await prisma().member.update({ where: { id: kim.id }, data: { removedAt: new Date() } })
    await member('new@example.com')
    await makeDue()
    await send()
    await round()
    await send()
    expect(mailed()).toEqual([['new@example.com', expect.stringContaining('audit')]])
  })

  it('a mail that waits for a member who left: a channel gets the alert before the mail is tried again', async () => {
    const kim = await member('later@example.com')
    await changeRule('audit-broken', { repeatHours: 0, to: 'chosen', channels: emailChannelId })
    await channel('teams')
    await breakChain(1)
    for (let n = 0; n < 2; n++) await round()
    await send()
    expect(reported()).toEqual([])
    await prisma().member.update({ where: { id: kim.id }, data: { removedAt: new Date() } })
    for (let n = 0; n < 2; n++) await round()
    await send()
    expect(reported()).toEqual([['teams', 'firing']])
  })

  it('a database that is away changes nothing, and the next round goes on', async () => {
    await channel('webhook')
    await breakChain(1)
    const gone = openPool('postgresql://nobody@127.0.0.1:1/none', 1)
    const rounds = new AlertRounds(gone, atOnce)
    await expect(rounds.run()).rejects.toThrow()
    await gone.end()
    expect(await codes()).toEqual([])
    await round()
    await send()
    expect(reported()).toEqual([['webhook', 'firing']])
  })

  it('a database that was away is no sign that its projectors are', async () => {
    await changeRule('no-projector', { threshold: 5 })
    const rounds = new AlertRounds(pool(), atOnce)
    await pool().query(`UPDATE lease SET expires_at = now() - interval '10 minutes'`)
    await pool().query('ALTER TABLE alert_rule RENAME TO rule_away')
    await expect(rounds.run()).rejects.toThrow()
    await pool().query('ALTER TABLE rule_away RENAME TO alert_rule')
    await rounds.run()
    expect(await codes()).toEqual([])
    await rounds.release()
    await round()
    expect(await codes()).toEqual(['no-projector'])
  })

  it('a message that may have arrived is repeated after half an hour, with its id', async () => {
    await channel('webhook')
    await breakChain(1)
    sink.status = null
    await round()
    await send()
    const { rows } = await pool().query<{ unsure: number; minutes: number }>(
      `SELECT unsure, round(extract(epoch FROM next_at - now()) / 60)::int AS minutes FROM alert_message`,
    )
    expect(rows).toEqual([{ unsure: 1, minutes: 30 }])
  })
})

describe('a channel', () => {
  it('signs as Standard Webhooks says, with a secret that is shown once and kept sealed', async () => {
    const { id, secret } = await channel('webhook')
    expect(await testAlertChannel(admin, { id }, browser)).toEqual({
      state: 'sent',
      answer: 'It answered 200.',
    })
    const [test] = sink.taken.splice(0)
    const headers = Object.fromEntries(Object.entries(test?.headers ?? {}).map(([k, v]) => [k, String(v)]))
    expect(new Webhook(secret ?? '').verify(test?.body ?? '', headers)).toMatchObject({ type: 'alerts.test' })
    const { rows } = await pool().query<{ row: string }>(
      'SELECT alert_channel::text AS row FROM alert_channel',
    )
    for (const hidden of [secret ?? '', 'receiver?webhook']) expect(rows[0]?.row).not.toContain(hidden)
    const form = { id, name: 'Pager', enabled: 'true', newSecret: 'true', reason }
    const changed = await changeAlertChannel(admin, ChangeAlertChannelSchema.parse(form), browser)
    expect(changed.secret).not.toBe(secret)
    expect(changed.secret).toMatch(/^whsec_/)
    await testAlertChannel(admin, { id }, browser)
    const again = Object.fromEntries(
      Object.entries(sink.taken[0]?.headers ?? {}).map(([k, v]) => [k, String(v)]),
    )
    expect(() => new Webhook(secret ?? '').verify(sink.taken[0]?.body ?? '', again)).toThrow()
  })

  it.each(['slack', 'teams', 'heartbeat'] as const)('%s has a test', async (kind) => {
    const { id, secret } = await channel(kind)
    expect(secret).toBeNull()
    expect(await testAlertChannel(admin, { id }, browser)).toMatchObject({ state: 'sent' })
    sink.status = 404
    expect(await testAlertChannel(admin, { id }, browser)).toEqual({
      state: 'failed',
      answer: 'It answered 404.',
    })
  })

  it('e-mail sends a test to the caller', async () => {
    expect(await testAlertChannel(admin, { id: emailChannelId }, browser)).toMatchObject({ state: 'sent' })
    expect(mailed()).toEqual([['kim@example.com', expect.stringContaining('Test of alerts')]])
    const nameless = callerWith('admin')
    await expect(testAlertChannel(nameless, { id: emailChannelId }, browser)).rejects.toMatchObject({
      code: 'no-own-address',
    })
  })

  it('on this machine or in an internal network is refused where there is no sandbox', async () => {
    const { id } = await channel('slack')
    // Another key could not open the address of the channel.
    const keys = { RAMPART_KEYS: process.env.RAMPART_KEYS ?? '' }
    configure({ DATABASE_URL: database.url, ...settings({ RAMPART_SANDBOX_URL: '', ...keys }) })
    const form = { kind: 'slack', name: 'x', reason }
    expect(AddAlertChannelSchema.safeParse({ ...form, address: `${sink.url}/receiver` }).success).toBe(false)
    const internal = AddAlertChannelSchema.parse({ ...form, address: 'https://10.0.0.1/hook' })
    const added = await addAlertChannel(admin, internal, browser)
    for (const one of [added.id, id])
      expect(await testAlertChannel(admin, { id: one }, browser)).toEqual({
        state: 'failed',
        answer: 'Not sent: the address leads to an internal network.',
      })
    expect(sink.taken).toEqual([])
    configure({ DATABASE_URL: database.url, ...settings() })
  })

  it.each(channelKinds)('%s reaches nothing on this machine but the sandbox’s receiver', async (kind) => {
    const form = { kind, name: 'x', reason }
    const elsewhere = ['', '/_sandbox/reset', '/receiver/', '/receiver/clear'].map((at) => `${sink.url}${at}`)
    for (const address of [...elsewhere, 'http://127.0.0.1:22/receiver', 'http://localhost:9'])
      expect(AddAlertChannelSchema.safeParse({ ...form, address }).success, address).toBe(false)
    // An older version accepted this channel.
    const quiet = { quietFrom: null, quietUntil: null, zone: null }
    const old = { ...form, ...quiet, address: `${sink.url}/_sandbox/reset` }
    const { id } = await addAlertChannel(admin, old, browser)
    expect(await testAlertChannel(admin, { id }, browser)).toEqual({
      state: 'failed',
      answer: 'Not sent: the address leads to an internal network.',
    })
    expect(sink.taken).toEqual([])
  })

  it('that somebody else has changed meanwhile is not changed', async () => {
    const { id } = await channel('slack')
    const shown = async () => (await listAlertChannels(admin)).find((one) => one.id === id)
    const change = async (given: object) =>
      changeAlertChannel(admin, ChangeAlertChannelSchema.parse({ id, reason, ...given }), browser)
    const seen = (await shown())?.seen
    await testAlertChannel(admin, { id }, browser)
    await change({ name: 'x', enabled: 'false', seen })
    await expect(change({ name: 'y', enabled: 'true', seen })).rejects.toMatchObject({
      code: 'changed-meanwhile',
    })
    expect(await shown()).toMatchObject({ name: 'x', enabled: false })
    await change({ name: 'y', enabled: 'true', seen: (await shown())?.seen })
    expect(await shown()).toMatchObject({ name: 'y', enabled: true })
  })

  it('that is removed or switched off gets nothing any more', async () => {
    const { id } = await channel('slack')
    const other = await channel('teams')
    await breakChain(1)
    await round()
    await removeAlertChannel(admin, { id, reason }, browser)
    const off = ChangeAlertChannelSchema.parse({ id: other.id, name: 'x', enabled: 'false', reason })
    await changeAlertChannel(admin, off, browser)
    await send()
    expect(sink.taken).toEqual([])
    expect((await pool().query('SELECT FROM alert_message')).rowCount).toBe(0)
  })

  it('that is removed before it took an alert: the alert goes to the next one as soon as there is one', async () => {
    const { id } = await channel('slack')
    await changeRule('audit-broken', { repeatHours: 0 })
    await breakChain(1)
    sink.status = 404
    await round()
    await send()
    await removeAlertChannel(admin, { id, reason }, browser)
    sink.status = 200
    for (let n = 0; n < 2; n++) await round()
    await send()
    expect(reported()).toEqual([])
    await channel('teams')
    for (let n = 0; n < 3; n++) await round()
    await send()
    expect(reported()).toEqual([['teams', 'firing']])
    expect(await listAlerts(admin)).toMatchObject([{ messages: { waiting: 0, sent: 1, failed: 0 } }])
  })

  it.each([
    ['and on again', 'true', [['slack', 'firing']]],
    ['for good', 'false', [['teams', 'firing']]],
  ])('that is switched off before it took an alert, %s: the alert is sent', async (_how, enabled, taken) => {
    const { id } = await channel('slack')
    await changeRule('audit-broken', { repeatHours: 0, to: 'chosen', channels: id })
    await channel('teams')
    await breakChain(1)
    sink.status = 404
    await round()
    await send()
    sink.status = 200
    for (const given of ['false', enabled])
      await changeAlertChannel(
        admin,
        ChangeAlertChannelSchema.parse({ id, name: 'x', enabled: given, reason }),
        browser,
      )
    for (let n = 0; n < 3; n++) await round()
    await send()
    expect(reported()).toEqual(taken)
    expect(await listAlerts(admin)).toMatchObject([{ messages: { waiting: 0, sent: 1, failed: 0 } }])
  })

  it('that is removed takes along what others were told of, or what somebody works on', async () => {
    const { id } = await channel('slack')
    await member('one@example.com')
    await breakChain(1)
    sink.status = 404
    await round()
    await send()
    expect(mailed()).toHaveLength(1)
    await serviceIs('key-refused')
    await pool().query('DELETE FROM member')
    await round()
    const alerts = await listAlerts(admin)
    await acknowledgeAlert(
      admin,
      { id: alerts.find(({ condition }) => condition === 'key-refused')?.id ?? '' },
      browser,
    )
    await removeAlertChannel(admin, { id, reason }, browser)
    await channel('teams')
    sink.status = 200
    await round()
    await send()
    expect(reported()).toEqual([])
  })
})

it('an alert that nobody could be told of is sent as soon as somebody can be', async () => {
  await breakChain(1)
  for (let n = 0; n < 2; n++) await round()
  await channel('slack')
  for (let n = 0; n < 2; n++) await round()
  await send()
  expect(reported()).toEqual([['slack', 'firing']])
})

it('the addresses of channels move to another key of RAMPART_KEYS, and stay readable', async () => {
  const { id } = await channel('slack')
  const [old] = env().keys
  const key = { id: 'k2', bytes: crypto.randomBytes(32) }
  expect(await moveChannels(pool(), [key, old], key)).toBe(1)
  expect(await moveChannels(pool(), [key, old], key)).toBe(0)
  expect(await countChannelsByKey(pool())).toEqual(new Map([['k2', 1]]))
  expect((await listAlertChannels(admin))[1]).toMatchObject({ id, isReadable: false })
  await expect(testAlertChannel(admin, { id }, browser)).rejects.toMatchObject({
    code: 'channel-not-readable',
  })
  const both = `k2:${key.bytes.toString('base64')},${old.id}:${old.bytes.toString('base64')}`
  configure({ DATABASE_URL: database.url, ...settings({ RAMPART_KEYS: both }) })
  expect(await testAlertChannel(admin, { id }, browser)).toMatchObject({ state: 'sent' })
  configure({ DATABASE_URL: database.url, ...settings() })
})

it('a server measures and sends by itself, and reports what it sees until it stops', async () => {
  await channel('webhook')
  await breakChain(1)
  const sights = { measures: true, dataDir: '.', liveSilentMs: () => 2_000, serviceClockMs: () => null }
  const alerts = startAlerts(pool(), sights, 100)
  await expect.poll(codes, { timeout: 20_000 }).toContain('audit-broken')
  await pool().query('UPDATE alert_news SET due_at = now()')
  await expect.poll(() => sink.taken.length, { timeout: 20_000 }).toBe(1)
  const { rows } = await pool().query<{ facts: unknown }>('SELECT facts FROM process_report')
  expect(rows).toMatchObject([{ facts: { liveSilentSeconds: 2, diskPercent: expect.any(Number) } }])
  await alerts.stop()
  expect((await readProcessReports(pool())).map(({ facts: known }) => known)).toEqual([null])
})

describe('a dead man’s switch', () => {
  const live = () =>
    pool().query(`INSERT INTO heartbeat (name, at) VALUES ('ingest', clock_timestamp())
      ON CONFLICT (name) DO UPDATE SET at = EXCLUDED.at`)
  const projector = (seconds: number) =>
    pool().query(
      `UPDATE lease SET expires_at = clock_timestamp() + $1 * interval '1 s' WHERE name = 'projector:0'`,
      [seconds],
    )

  it('is called each minute while everything works, and told of no alert', async () => {
    await channel('heartbeat')
    await live()
    await serviceIs('seen')
    await breakChain(1)
    await projector(1)
    await round()
    await projector(1)
    await round()
    expect(reported()).toEqual([['heartbeat', 'firing']])
    await pool().query(`UPDATE alert_channel SET called_at = now() - interval '1 minute'`)
    await projector(1)
    await round()
    expect(reported()).toHaveLength(1)
    // The clock was set back since the last call.
    await pool().query(`UPDATE alert_channel SET called_at = now() + interval '1 hour'`)
    await projector(1)
    await round()
    expect(reported()).toHaveLength(1)
    expect((await pool().query('SELECT FROM alert_message')).rowCount).toBe(0)
  })

  it.each([
    ['no projector runs', () => projector(-10)],
    ['nobody takes deliveries', () => pool().query('DELETE FROM heartbeat')],
    [
      'nobody takes deliveries, and the last beat is of the future, because the clock was set back since',
      () => pool().query(`UPDATE heartbeat SET at = clock_timestamp() + interval '1 hour'`),
    ],
    [
      'the watcher does not run',
      () =>
        pool().query(
          `UPDATE setting SET value = value || '{"lookedAt": "2020-01-01T00:00:00.000Z"}' WHERE key = 'service-state'`,
        ),
    ],
  ])('is not called while %s', async (_what, stop) => {
    await channel('heartbeat')
    await live()
    await serviceIs('seen')
    await projector(1)
    await stop()
    const logged = captureLog()
    await round()
    logged.stop()
    expect(sink.taken).toEqual([])
  })

  it.each([-1_440, -10, 5, 90])(
    'asks the database’s clock alone, where that of this machine is %s minutes ahead',
    async (ahead) => {
      await channel('heartbeat')
      for (const [minutesAgo, calls] of [
        [1, 1],
        [5, 0],
      ] as const) {
        await live()
        await pool().query(`UPDATE alert_channel SET called_at = NULL`)
        await pool().query(`DELETE FROM setting WHERE key = 'service-state'`)
        await pool().query(`INSERT INTO setting (key, value) VALUES ('service-state', $1)`, [
          serviceState('seen', 60, minutesAgo),
        ])
        await projector(2)
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead * 60_000 })
        await round().finally(() => vi.useRealTimers())
        expect(reported()).toHaveLength(calls)
      }
    },
  )
})

describe('a rule', () => {
  it('has defaults without a row, and another threshold, channels or none afterwards', async () => {
    const { id } = await channel('slack')
    await channel('teams')
    await breakChain(3)
    await changeRule('audit-broken', { threshold: 4 })
    await round()
    expect(await codes()).toEqual([])
    await changeRule('audit-broken', { threshold: 3, to: 'chosen', channels: id })
    await round()
    await send()
    expect(reported()).toEqual([['slack', 'firing']])
    await changeRule('audit-broken', { threshold: 3, enabled: 'false' })
    await round()
    await send()
    expect([await codes(), reported()]).toEqual([[], [['slack', 'unwatched']]])
    await changeRule('audit-broken', { threshold: 2, to: 'chosen', channels: id })
    await round()
    await changeRule('audit-broken', { threshold: 9, to: 'chosen', channels: id })
    await round()
    await round()
    await send()
    // The message that waited takes the end along.
    expect([await codes(), reported()]).toEqual([[], [['slack', 'unwatched']]])
  })

  it('goes to all when none of its channels works any more', async () => {
    const { id } = await channel('slack')
    await channel('teams')
    await member('kim@example.com')
    await changeRule('audit-broken', { to: 'chosen', channels: id })
    const off = ChangeAlertChannelSchema.parse({ id, name: 'x', enabled: 'false', reason })
    await changeAlertChannel(admin, off, browser)
    await breakChain(1)
    await round()
    await send()
    expect(reported()).toEqual([['teams', 'firing']])
    expect(mailed()).toHaveLength(1)
  })

  it('goes to all while no key opens the address of its channel, which the channel says', async () => {
    const { id } = await channel('slack')
    await member('kim@example.com')
    await changeRule('audit-broken', { to: 'chosen', channels: id })
    const [old] = env().keys
    const key = { id: 'k2', bytes: crypto.randomBytes(32) }
    await moveChannels(pool(), [key, old], key)
    expect((await listAlertChannels(admin))[1]).toMatchObject({ enabled: true, notifies: false })
    await breakChain(1)
    await round()
    await send()
    expect(mailed()).toHaveLength(1)
    expect((await pool().query('SELECT FROM alert_message')).rowCount).toBe(0)
  })

  const repeatNow = () => pool().query(`UPDATE alert SET notified_at = now() - interval '5 hours'`)

  it('whose only channel refuses an alert for good tells all others once, and all when it is repeated', async () => {
    const { id } = await channel('slack')
    await channel('teams')
    await member('kim@example.com')
    await changeRule('audit-broken', { to: 'chosen', channels: id })
    await breakChain(1)
    sink.status = 410
    await round()
    await send()
    sink.status = 200
    for (let n = 0; n < 3; n++) {
      await round()
      await send()
    }
    expect([reported(), mailed().length]).toEqual([[['teams', 'firing']], 1])
    expect(await listAlerts(admin)).toMatchObject([{ messages: { waiting: 0, sent: 2, failed: 1 } }])
    await repeatNow()
    await round()
    await send()
    expect([reported().toSorted(), mailed().length]).toEqual([
      [
        ['slack', 'firing'],
        ['teams', 'firing'],
      ],
      1,
    ])
    // The channel took that, so it alone is the rule's again.
    await repeatNow()
    await round()
    await send()
    expect([reported(), mailed()]).toEqual([[['slack', 'firing']], []])
  })

  it('for e-mail alone tells all others when the only mailbox is refused', async () => {
    await member('nobody@example.com')
    await channel('teams')
    await changeRule('audit-broken', { to: 'chosen', channels: emailChannelId })
    await breakChain(1)
    await round()
    await send()
    expect(reported()).toEqual([])
    for (let n = 0; n < 2; n++) await round()
    await send()
    expect(reported()).toEqual([['teams', 'firing']])
  })

  it('is tried once by each channel where all refuse, until there is another one', async () => {
    const { id } = await channel('slack')
    await channel('teams')
    await member('nobody@example.com')
    await changeRule('audit-broken', { to: 'chosen', channels: id })
    await breakChain(1)
    sink.status = 410
    for (let n = 0; n < 4; n++) {
      await round()
      await send()
    }
    expect(await listAlerts(admin)).toMatchObject([{ messages: { waiting: 0, sent: 0, failed: 3 } }])
    sink.status = 200
    await channel('webhook')
    await round()
    await send()
    expect(reported()).toEqual([['webhook', 'firing']])
  })

  it('for e-mail alone goes to all while no mail server is set', async () => {
    configure({ DATABASE_URL: database.url, ...settings({ SMTP_URL: '', MAIL_FROM: '' }) })
    await channel('teams')
    await changeRule('audit-broken', { to: 'chosen', channels: emailChannelId })
    await breakChain(1)
    await round()
    await send()
    expect(reported()).toEqual([['teams', 'firing']])
  })

  it('for e-mail alone goes to all while no member gets its e-mails, and E-mail says so', async () => {
    const email = async () => (await listAlertChannels(admin))[0]
    const kim = await member('kim@example.com')
    await member(null)
    expect(await email()).toMatchObject({ enabled: true, notifies: true, fault: null })
    await channel('teams')
    await changeRule('audit-broken', { to: 'chosen', channels: emailChannelId })
    await changeRule('service-away', { threshold: 5, to: 'chosen', channels: emailChannelId })
    const asKim = callerWith('admin', { memberId: kim.id })
    const choose = (receives: 'urgent' | 'none') =>
      changeAlertReceiving(asKim, { receives, quietFrom: null, quietUntil: null, zone: null }, browser)
    await choose('urgent')
    await serviceIs('unanswered', 10)
    await breakChain(1)
    await round()
    await send()
    expect([sink.taken.splice(0).map(({ body }) => body), mailed()]).toEqual([
      [expect.stringContaining('has not answered')],
      [['kim@example.com', expect.stringContaining('audit')]],
    ])
    await choose('none')
    expect(await email()).toMatchObject({ notifies: false, fault: expect.stringContaining('No member') })
    await pool().query('TRUNCATE alert, alert_news')
    await round()
    await send()
    expect(sink.taken.map(({ body }) => body)).toEqual([expect.stringContaining('audit')])
    expect(mailed()).toEqual([])
  })

  it('loses a channel that is removed, and then goes to its others, or to all', async () => {
    const [slack, teams] = [await channel('slack'), await channel('teams')]
    await changeRule('audit-broken', { to: 'chosen', channels: [slack.id, teams.id] })
    const chosen = async () =>
      (await listAlertRules(admin)).find(({ condition }) => condition === 'audit-broken')?.channels
    await removeAlertChannel(admin, { id: slack.id, reason }, browser)
    expect(await chosen()).toEqual([teams.id])
    await removeAlertChannel(admin, { id: teams.id, reason }, browser)
    expect(await chosen()).toBeNull()
  })

  it('refuses what changes nothing, what nobody has seen, and a threshold beyond its limits', async () => {
    await expect(changeRule('audit-broken')).rejects.toMatchObject({ code: 'nothing-to-change' })
    const stale = { threshold: 2, seen: 'older' }
    await expect(changeRule('audit-broken', stale)).rejects.toMatchObject({ code: 'changed-meanwhile' })
    await expect(changeRule('audit-broken', { threshold: 0 })).rejects.toThrow('From 1 to 1000')
    await expect(changeRule('audit-broken', { to: 'chosen', channels: '' })).rejects.toMatchObject({
      fields: { channels: expect.any(String) },
    })
  })
})

describe('a member', () => {
  it('chooses what they receive; admins get all before, others nothing', async () => {
    const kim = await member('kim@example.com')
    const sue = await member('sue@example.com', 'support')
    const [asKim, asSue] = [
      callerWith('admin', { memberId: kim.id }),
      callerWith('support', { memberId: sue.id }),
    ]
    expect(await readAlertReceiving(asKim)).toMatchObject({ receives: 'all', address: 'kim@example.com' })
    expect(await readAlertReceiving(asSue)).toMatchObject({ receives: 'none' })
    const choose = { quietFrom: null, quietUntil: null, zone: null }
    await changeAlertReceiving(asKim, { receives: 'urgent', ...choose }, browser)
    await changeAlertReceiving(asSue, { receives: 'all', ...choose }, browser)
    await serviceIs('unanswered', 10)
    await breakChain(1)
    await round()
    await send()
    // Support may not know of the audit.
    expect(mailed().toSorted()).toEqual([
      ['kim@example.com', expect.stringContaining('audit')],
      ['sue@example.com', expect.stringContaining('has not answered')],
    ])
    const { rows } = await pool().query(`SELECT action FROM audit WHERE action = 'alert.receive'`)
    expect(rows).toHaveLength(2)
  })

  it('of compliance sees, receives and acknowledges the alerts of compliance alone', async () => {
    const cleo = await member('cleo@example.com', 'compliance')
    const asCleo = callerWith('compliance', { memberId: cleo.id })
    expect(await readAlertReceiving(asCleo)).toMatchObject({ receives: 'none', address: 'cleo@example.com' })
    const choose = { quietFrom: null, quietUntil: null, zone: null }
    await changeAlertReceiving(asCleo, { receives: 'all', ...choose }, browser)
    await serviceIs('unanswered', 10)
    await breakChain(1)
    await round()
    await send()
    expect(mailed()).toEqual([['cleo@example.com', expect.stringContaining('audit')]])
    const [alert, ...others] = await listAlerts(asCleo)
    expect([alert?.condition, others]).toEqual(['audit-broken', []])
    await acknowledgeAlert(asCleo, { id: alert?.id ?? '' }, browser)
  })
})

it('says of an alert how many messages were sent, also when they were deleted since', async () => {
  await channel('slack')
  await member('one@example.com')
  await breakChain(1)
  await round()
  await send()
  await pool().query(
    `UPDATE mail SET ended_at = now() - interval '31 days'; UPDATE alert_message SET ended_at = now() - interval '31 days'`,
  )
  await openRetentionSweeper(pool()).sweep()
  expect((await pool().query('SELECT FROM mail')).rowCount).toBe(0)
  expect(await listAlerts(admin)).toMatchObject([{ messages: { waiting: 0, sent: 2, failed: 0 } }])
})

it('lists the history in pages, without what a role may not know', async () => {
  for (let n = 0; n < 5; n++)
    await pool().query(
      `INSERT INTO alert (id, condition, subject, value, worst, threshold, began_at, resolved_at)
       VALUES ($1, $2, $3, 1, 1, 1, now(), now() - $4 * interval '1 minute')`,
      [uuidv7(), n === 2 ? 'audit-broken' : 'dead-letters', String(n), n],
    )
  const seen: string[] = []
  for (let before: string | null = null, pages = 0; pages === 0 || before !== null; pages++) {
    const page = await listAlertHistory(admin, { before, limit: 2 })
    seen.push(...page.alerts.map(({ subject }) => subject))
    before = page.next
  }
  expect(seen).toEqual(['0', '1', '2', '3', '4'])
  const byCompliance = await listAlertHistory(callerWith('compliance'))
  expect(byCompliance.alerts.map(({ condition }) => condition)).toEqual(['audit-broken'])
  const bySupport = await listAlertHistory(callerWith('support'))
  expect(bySupport.alerts.map(({ subject }) => subject)).toEqual(['0', '1', '3', '4'])
  for (const before of ['made up', encodeCursor(['a', 'list'])])
    await expect(listAlertHistory(admin, { before })).rejects.toMatchObject({ code: 'cursor-refused' })
})

it('is not for everybody', async () => {
  const support = callerWith('support')
  const customer = callerWith('end-user')
  const quiet = { quietFrom: null, quietUntil: null, zone: null }
  const refused: (() => Promise<unknown>)[] = [
    () => listAlerts(customer),
    () => listAlertHistory(customer),
    () => acknowledgeAlert(callerWith('auditor'), { id: uuidv7() }, browser),
    () => unacknowledgeAlert(callerWith('auditor'), { id: uuidv7() }, browser),
    () => listAlertRules(support),
    () => listAlertChannels(support),
    () =>
      addAlertChannel(
        support,
        AddAlertChannelSchema.parse({ kind: 'slack', name: 'x', address: `${sink.url}/receiver`, reason }),
        browser,
      ),
    () => removeAlertChannel(support, { id: uuidv7(), reason }, browser),
    () => testAlertChannel(support, { id: emailChannelId }, browser),
    () => readAlertReceiving(callerWith('end-user')),
    () =>
      changeAlertReceiving(callerWith('admin', { memberId: null }), { receives: 'none', ...quiet }, browser),
  ]
  for (const call of refused) await expect(call()).rejects.toMatchObject({ code: 'not-allowed' })
  const stale = callerWith('admin', { signedInAt: new Date(Date.now() - 3_600_000).toISOString() })
  await expect(removeAlertChannel(stale, { id: uuidv7(), reason }, browser)).rejects.toMatchObject({
    code: 'sign-in-again',
  })
})
