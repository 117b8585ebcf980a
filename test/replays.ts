import crypto from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { ResumeReplaySchema, StartReplaySchema } from '#lib/endpoints/replays/replay-forms.ts'
import { insertReplay, type NewReplay } from '#lib/endpoints/replays/replay-store.ts'
import { startReplay } from '#lib/endpoints/replays/start-replay.ts'
import { openSession } from '#lib/identity/sessions/open-session.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { startProjector } from '#lib/timeline/projector/projector.ts'
import { findReplay, listReplays } from '../lib/endpoints/replays/replays.ts'
import { resumeReplay } from '../lib/endpoints/replays/start-replay.ts'
import { callerWith, newBrowser } from './callers.ts'
import { startDatabase, type TestConfiguration } from './database.ts'
import { json, type LoopbackService, startLoopbackService } from './loopback-service.ts'

// Tests of replays log deliveries, send them to a receiver, and check the result.

export const admin = callerWith('admin')
export const browser = newBrowser()
export const secret = 'whsec-given-by-an-admin'
export const taken = json(200, {})
const start = Date.UTC(2026, 10, 20, 14)

/** The tests of a file share a database, and a receiver to which replays are posted, from the first test on. */
export function withReplays() {
  let database: TestConfiguration
  let receiver: LoopbackService

  beforeAll(async () => {
    receiver = await startLoopbackService()
    database = await startDatabase({ RAMPART_SANDBOX_URL: new URL('/', receiver.baseUrl).href })
  })
  afterEach(async () => {
    // A running replay must not meet the next test's receiver.
    await expect
      .poll(async () => (await listReplays(admin)).replays.filter(({ state }) => state === 'running'))
      .toEqual([])
    await pool().query(`DELETE FROM delivery; DELETE FROM delivery_pending; DELETE FROM event;
      DELETE FROM event_delivery; DELETE FROM transaction; DELETE FROM replay; DELETE FROM replay_delivery`)
  })
  afterAll(async () => {
    await receiver.stop()
    await database.stop()
  })

  /** The address has the form of the sandbox's, whose receiver is the only one on this machine. */
  const address = () => new URL('/receiver', receiver.baseUrl).href

  const posting = (given: Record<string, string> = {}) =>
    StartReplaySchema.parse({
      from: '2026-11-20T14:00',
      kind: 'post',
      address: address(),
      secret,
      pace: '50',
      reason: 'the other system lost them',
      ...given,
    })
  return {
    get receiver() {
      return receiver
    },
    posting,
    address,
    /** The function starts a replay to the receiver. */
    send: async (given: Record<string, string> = {}) =>
      (await startReplay(admin, posting(given), browser)).replayId,
    /** The function stores a replay as the form would, but nothing runs it. */
    made: (given: Partial<NewReplay> = {}) =>
      inTransaction(pool(), (tx) =>
        insertReplay(tx, {
          filter: { from: '2026-11-20T14:00:00.000Z' },
          address: address(),
          pace: 50,
          reason: 'a test',
          actor: admin.id,
          sessionId: admin.sessionId,
          ...given,
        }),
      ),
    bodiesReceived: () => receiver.seen.map(({ body }) => body),
  }
}

export const bodyOf = (n: number, transactionUuid = 't-1') =>
  `{"type":"fiatToCrypto","subType":"PENDING","uuid":"u-1","data":{"transactionUuid":"${transactionUuid}","amountFiat":1.${n}0 }}`

/** The admin has a new session, or a further session for the same person. */
export async function signedIn({ userUuid } = callerWith('admin')) {
  const who = { userUuid, memberId: null, method: 'code', serviceSessionId: null, role: 'admin' } as const
  await inTransaction(pool(), (tx) => openSession(tx, who, browser, new Date()))
  const { id } = await prisma().session.findFirstOrThrow({ where: { userUuid }, orderBy: { id: 'desc' } })
  return callerWith('admin', { userUuid, sessionId: id })
}

/** The function puts bodies into the log, a second apart. */
export const log = (bodies: readonly string[], receiverId: string = crypto.randomUUID()) =>
  appendPastDeliveries(
    bodies.map((body, n) => ({
      receivedAt: new Date(start + n * 1000),
      receiverId,
      body: Buffer.from(body),
    })),
  )

export async function foldEverything() {
  const projector = await startProjector({ url: env().databaseUrl })
  await expect.poll(async () => (await pool().query('SELECT FROM delivery_pending')).rowCount).toBe(0)
  return projector
}

export const goOn = (replayId: string, given: Record<string, string> = { secret }) =>
  resumeReplay(admin, ResumeReplaySchema.parse({ replayId, reason: 'it is well again', ...given }), browser)

export const stateOf = async (replayId: string) => (await findReplay(admin, replayId))?.state

export const ends = (replayId: string, state: string) =>
  expect.poll(() => stateOf(replayId), { timeout: 20_000 }).toBe(state)
