import crypto from 'node:crypto'
import http from 'node:http'
import { retryDelaySeconds } from '../../../lib/deliveries/rules/retry-schedule.ts'
import type { TestReceiverAccount } from './test-bed.ts'
import { sleep } from './test-bed.ts'

/** One step of one transaction: a delivery that has to become one event. */
export interface LoadStep {
  readonly transactionUuid: string
  readonly subType: string
}

/** One try: its status, 0 without an answer, and how long that took in ms. */
export interface LoadAttempt {
  readonly at: number
  readonly status: number
  readonly took: number
  readonly retryAfter: string | undefined
}

/** The sender's record of what it sent and how it was answered. */
export interface SenderLoad {
  readonly attempts: readonly LoadAttempt[]
  /** Answered 2xx. */
  readonly delivered: readonly LoadStep[]
  /** Milliseconds of the slowest answer for which the server needs no database: what a busy machine adds to any. */
  readonly slowestPlainMs: number
  /** Begins no further transaction, and ends when all was answered 2xx at last. */
  finish(): Promise<void>
}

const steps = ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS']

/** Milliseconds: the sender waits so long for an answer, and between two steps of a transaction. */
const timeOut = 8_000
const between = 80

/** Milliseconds between two requests that need no database. */
const betweenPlain = 250

/** Sends transactions, so many a second, and each step again as the service would, until it is answered 2xx. §6.8 */
export function startSenderLoad(options: {
  readonly receiver: TestReceiverAccount
  /** Whoever is there: one is chosen for each attempt. */
  readonly ports: () => readonly number[]
  readonly perSecond?: number
  readonly padding?: number
}): SenderLoad {
  const { receiver, ports, perSecond = 40, padding = 0 } = options
  const agent = new http.Agent({ keepAlive: true })
  const attempts: LoadAttempt[] = []
  const delivered: LoadStep[] = []
  const sending = new Set<Promise<void>>()

  async function deliver(step: LoadStep) {
    const body = stepBody(step, padding)
    for (;;) {
      const choice = ports()
      const port = choice[crypto.randomInt(choice.length)] ?? 0
      const began = performance.now()
      const answer = await send(agent, port, receiver, body)
      attempts.push({ at: began, took: performance.now() - began, ...answer })
      if (answer.status >= 200 && answer.status < 300) break
      await sleep(retryDelaySeconds(1) * 1_000)
    }
    delivered.push(step)
  }

  let slowestPlainMs = 0
  let askedAt = performance.now()
  async function askPlain() {
    // Counted from when it was due, so that a sender that is late itself is seen too.
    const dueAt = askedAt + betweenPlain
    askedAt = performance.now()
    await Promise.all(
      ports().map(async (port) => {
        // Refused before anything is looked up, and counted for no receiver.
        const { status } = await send(agent, port, { ...receiver, id: 'none' }, null)
        if (status === 405) slowestPlainMs = Math.max(slowestPlainMs, performance.now() - dueAt)
      }),
    )
  }

  async function transaction() {
    const transactionUuid = crypto.randomUUID()
    const all: Promise<void>[] = []
    for (const subType of steps) {
      all.push(deliver({ transactionUuid, subType }))
      await sleep(between)
    }
    await Promise.all(all)
  }

  const timer = setInterval(() => {
    const sent = transaction()
    sending.add(sent)
    void sent.then(() => sending.delete(sent))
  }, 1_000 / perSecond)
  const plainTimer = setInterval(() => void askPlain(), betweenPlain)

  return {
    attempts,
    delivered,
    get slowestPlainMs() {
      return slowestPlainMs
    },
    async finish() {
      clearInterval(timer)
      await Promise.all(sending)
      clearInterval(plainTimer)
      agent.destroy()
    },
  }
}

export const stepBody = ({ transactionUuid, subType }: LoadStep, padding = 0): string =>
  JSON.stringify({
    type: 'fiatToCrypto',
    subType,
    uuid: transactionUuid,
    data: { transactionUuid, status: subType, amountFiat: 4.76, note: 'x'.repeat(padding) },
  })

/** POSTs a body; null: GETs, without one. */
function send(
  agent: http.Agent,
  port: number,
  { id, authorization }: TestReceiverAccount,
  body: string | null,
) {
  return new Promise<{ status: number; retryAfter: string | undefined }>((resolve) => {
    const headers = { authorization, 'content-length': Buffer.byteLength(body ?? '') }
    const request = http.request(
      {
        agent,
        port,
        host: '127.0.0.1',
        path: `/api/webhooks/${id}`,
        method: body === null ? 'GET' : 'POST',
        headers,
        timeout: timeOut,
      },
      (response) => {
        response.resume()
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] }),
        )
        response.once('error', () => resolve({ status: 0, retryAfter: undefined }))
      },
    )
    request.once('timeout', () => request.destroy())
    request.once('close', () => resolve({ status: 0, retryAfter: undefined }))
    request.on('error', () => undefined)
    request.end(body ?? '')
  })
}
