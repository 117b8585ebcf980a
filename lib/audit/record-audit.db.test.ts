import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { endSession } from '#lib/auth/end-session.ts'
import { readSession } from '#lib/auth/read-session.ts'
import { digestToken } from '#lib/auth/token.ts'
import { pool } from '#lib/db/pool.ts'
import { retryDeadLettersNow } from '#lib/dead-letters/retry-dead-letters-now.ts'
import { setStatus } from '#lib/endpoints/set-status.ts'
import { closeGap } from '#lib/gaps/close-gap.ts'
import { reopenGap } from '#lib/gaps/reopen-gap.ts'
import { StartReplaySchema } from '#lib/replay/replay-forms.ts'
import { resumeReplay } from '#lib/replay/resume-replay.ts'
import { startReplay } from '#lib/replay/start-replay.ts'
import { stopReplay } from '#lib/replay/stop-replay.ts'
import { changeSettings } from '#lib/settings/change-settings.ts'
import { completeSignIn } from '#lib/sign-in/complete-sign-in.ts'
import { requestCode } from '#lib/sign-in/request-code.ts'
import { createAccount } from '#lib/sign-in/sign-up.ts'
import { ensureAdmins } from '#lib/team/ensure-admins.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { captureLog } from '../../test/log.ts'
import { startService, type TestService } from '../../test/service.ts'
import { type AuditAction, recordAudit } from './record-audit.ts'

const admin = callerWith('admin')
const browser = newBrowser()
const reason = 'a test wants it'
const newAdmin = crypto.randomUUID()

let service: TestService
beforeAll(async () => {
  service = await startService()
  vi.stubEnv('RAMPART_ADMINS', newAdmin)
})
afterAll(() => service.stop())

async function aGap(outcome: string | null) {
  const id = uuidv7()
  await pool().query(
    `INSERT INTO gap (id, kind, about, began_at, outcome) VALUES ($1, 'down', '', now(), $2)`,
    [id, outcome],
  )
  return id
}

async function aReplay(state: 'running' | 'stopped') {
  const id = uuidv7()
  await pool().query(
    `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state)
     VALUES ($1, 'fold', '{}', 1, '', '', 0, $2)`,
    [id, state],
  )
  return id
}

const aDelivery = (id = uuidv7()) =>
  pool().query(
    `WITH stored AS (INSERT INTO delivery (id, receiver_id, body) VALUES ($1, gen_random_uuid(), '{}') RETURNING id)
     INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error) SELECT id, now(), 'a test' FROM stored`,
    [id],
  )

/** A session of somebody who was an admin when it began, and is not now. */
async function aSession() {
  const token = crypto.randomUUID()
  await pool().query(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
     VALUES ($1, $2, gen_random_uuid(), 'code', 'admin', now() + interval '1 hour', now() + interval '1 hour')`,
    [uuidv7(), digestToken(token)],
  )
  return token
}

const anAccount = () => ({
  email: `${crypto.randomUUID()}@demo.test`,
  firstName: 'Ana',
  lastName: 'Lima',
  country: 'ES',
  targetAddress: undefined,
})

/** For each action: `prepare` returns the function that causes its entry. */
const cases: [action: AuditAction, tables: string[], prepare: () => Promise<() => Promise<unknown>>][] = [
  [
    'gap.close',
    ['gap'],
    async () => {
      const gapId = await aGap(null)
      return () => closeGap(admin, { gapId, outcome: 'no-gap', reason }, browser)
    },
  ],
  [
    'gap.reopen',
    ['gap'],
    async () => {
      const gapId = await aGap('no-gap')
      return () => reopenGap(admin, { gapId, reason }, browser)
    },
  ],
  [
    'replay.start',
    ['replay', 'replay_delivery', 'lease'],
    async () => {
      await aDelivery()
      const form = StartReplaySchema.parse({ from: '2000-01-01T00:00', kind: 'fold', reason })
      return () => startReplay(admin, form, browser)
    },
  ],
  [
    'replay.resume',
    ['replay', 'lease'],
    async () => {
      const replayId = await aReplay('stopped')
      return () => resumeReplay(admin, { replayId, reason, secret: undefined }, browser)
    },
  ],
  [
    'replay.stop',
    ['replay'],
    async () => {
      const replayId = await aReplay('running')
      return () => stopReplay(admin, { replayId, reason }, browser)
    },
  ],
  [
    'delivery.try-again',
    ['delivery_pending'],
    async () => {
      await aDelivery()
      return () => retryDeadLettersNow(admin, { reason }, browser)
    },
  ],
  [
    'endpoint.set-status',
    ['endpoint_status_change'],
    async () => () =>
      setStatus(admin, { endpointUuid: crypto.randomUUID(), status: 'active', reason }, browser),
  ],
  [
    'session.start',
    ['session', 'known_browser', 'person'],
    async () => {
      const answer = { userUuid: crypto.randomUUID(), serviceSessionId: crypto.randomUUID() }
      return () => completeSignIn(answer, { method: 'code', userUuid: answer.userUuid }, browser)
    },
  ],
  [
    'session.end',
    ['session'],
    async () => {
      const token = await aSession()
      return () => endSession(token, 'signed-out', browser)
    },
  ],
  [
    'session.end',
    ['session'],
    async () => {
      const token = await aSession()
      return () => readSession(token, new Date())
    },
  ],
  [
    'code.request',
    ['code_request'],
    async () => {
      const account = anAccount()
      await createAccount(account, browser)
      return () => requestCode(account, browser)
    },
  ],
  ['user.sign-up', ['person', 'sign_up'], async () => () => createAccount(anAccount(), browser)],
  [
    'settings.change',
    ['setting'],
    async () => () => changeSettings(admin, { merchantName: crypto.randomUUID() }, browser),
  ],
  ['member.admin', ['member', 'person'], async () => ensureAdmins],
]

const rowsOf = async (table: string) =>
  (await pool().query(`SELECT row_to_json(${table}) AS row FROM ${table} ORDER BY ${table}::text`)).rows

it.each(cases)('%s: an entry that cannot be kept leaves %s as it was', async (action, tables, prepare) => {
  const logged = captureLog()
  const work = await prepare()
  const before = await Promise.all(tables.map(rowsOf))
  await pool().query(`ALTER TABLE audit ADD CONSTRAINT refusing CHECK (action <> '${action}') NOT VALID`)
  try {
    await expect(work()).rejects.toThrow('refusing')
  } finally {
    await pool().query('ALTER TABLE audit DROP CONSTRAINT refusing')
  }
  expect(await Promise.all(tables.map(rowsOf))).toEqual(before)
  logged.stop()
})

it('is written inside a transaction alone', async () => {
  const entry = { actor: null, action: 'code.request', outcome: 'done' } as const
  // @ts-expect-error a pool is not a transaction
  await recordAudit(pool(), entry, browser)
})

it('wakes nobody and changes nothing by itself but the chain', async () => {
  const { rows } = await pool().query(`SELECT tgname FROM pg_trigger WHERE tgrelid = 'audit'::regclass`)
  expect(rows).toEqual([{ tgname: 'audit_linked' }])
})
