import crypto from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { retryDelaySeconds } from '../../../lib/deliveries/rules/retry-schedule.ts'
import type { TestReceiverAccount } from './test-bed.ts'
import { sleep } from './test-bed.ts'

/** A step of a transaction is a delivery that has to become one event. */
export interface LoadStep {
  readonly transactionUuid: string
  readonly subType: string
}

/** An attempt has its status, 0 without an answer, and its time in ms. */
export interface LoadAttempt {
  readonly at: number
  readonly status: number
  readonly took: number
  readonly retryAfter: string | undefined
}

/** The sender's record has what it sent and how it was answered. */
export interface SenderLoad {
  readonly attempts: readonly LoadAttempt[]
  /** These steps were answered 2xx. */
  readonly delivered: readonly LoadStep[]
  /**
   * The value is the slowest answer, in milliseconds, for which the server needs no database. A busy machine adds this to
   * any answer.
   */
  readonly slowestPlainMs: number
  /** The sender begins no further transaction, and the promise settles when everything was answered 2xx. */
  finish(): Promise<void>
}

const steps = ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS']

/** The constants are milliseconds: the wait for an answer, and the pause between two steps of a transaction. */
const usualTimeOut = 8_000
const between = 80

/** A sender opens at most this many connections with TLS. Each costs both sides more than a delivery. */
const maxSockets = 128

/** Two requests that need no database are this many milliseconds apart. */
const betweenPlain = 250

/**
 * The sender sends this many transactions a second, and repeats each step until it is answered 2xx, as the service would
 * (§6.8).
 */
export function startSenderLoad(options: {
  readonly receiver: TestReceiverAccount
  /** Each attempt goes to one of the ports that are up. */
  readonly ports: () => readonly number[]
  readonly perSecond?: number
  readonly padding?: number
  /** The ports speak TLS for `localhost`, with a certificate of this authority. */
  readonly ca?: string
  /** An answer is waited for this many milliseconds. */
  readonly timeOut?: number
}): SenderLoad {
  const { receiver, ports, perSecond = 40, padding = 0, ca, timeOut = usualTimeOut } = options
  const by: Way =
    ca === undefined
      ? { ask: http.request, timeOut, agent: new http.Agent({ keepAlive: true }) }
      : {
          ask: https.request,
          timeOut,
          agent: new https.Agent({ keepAlive: true, maxSockets, ca, servername: 'localhost' }),
        }
  const attempts: LoadAttempt[] = []
  const delivered: LoadStep[] = []
  const sending = new Set<Promise<void>>()

  async function deliver(step: LoadStep) {
    const body = stepBody(step, padding)
    for (;;) {
      const choice = ports()
      const port = choice[crypto.randomInt(choice.length)] ?? 0
      const began = performance.now()
      const answer = await send(by, port, receiver, body)
      attempts.push({ at: began, took: performance.now() - began, ...answer })
      if (answer.status >= 200 && answer.status < 300) break
      await sleep(retryDelaySeconds(1) * 1_000)
    }
    delivered.push(step)
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

  const beganAt = performance.now()
  let begun = 0
  const timer = setInterval(() => {
    // The number of transactions a second stays the same when the timer is late.
    for (; begun < ((performance.now() - beganAt) / 1_000) * perSecond; begun++) {
      const sent = transaction()
      sending.add(sent)
      void sent.then(() => sending.delete(sent))
    }
  }, 1_000 / perSecond)
  const plain = startPlainLoad(receiver, ports, by)

  return {
    attempts,
    delivered,
    get slowestPlainMs() {
      return plain.slowestMs
    },
    async finish() {
      clearInterval(timer)
      await Promise.all(sending)
      plain.stop()
    },
  }
}

export interface PlainLoad {
  readonly slowestMs: number
  stop(): void
}

/** The load is requests for which a server needs no database. A busy machine makes them slow too. */
export function startPlainLoad(
  receiver: TestReceiverAccount,
  ports: () => readonly number[],
  by: Way = { ask: http.request, timeOut: usualTimeOut, agent: new http.Agent({ keepAlive: true }) },
): PlainLoad {
  let slowestMs = 0
  let askedAt = performance.now()
  async function ask() {
    // The time counts from when the request was due, so that a late sender shows too.
    const dueAt = askedAt + betweenPlain
    askedAt = performance.now()
    await Promise.all(
      ports().map(async (port) => {
        // The server refuses this request before any look-up, and counts it for no receiver.
        const { status } = await send(by, port, { ...receiver, id: 'none' }, null)
        if (status === 405) slowestMs = Math.max(slowestMs, performance.now() - dueAt)
      }),
    )
  }
  const timer = setInterval(() => void ask(), betweenPlain)
  return {
    get slowestMs() {
      return slowestMs
    },
    stop() {
      clearInterval(timer)
      by.agent.destroy()
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

interface Way {
  readonly ask: typeof http.request
  readonly agent: http.Agent
  readonly timeOut: number
}

/** The function POSTs a body, or GETs when it is null. */
function send(
  { ask, agent, timeOut }: Way,
  port: number,
  { id, authorization }: TestReceiverAccount,
  body: string | null,
) {
  return new Promise<{ status: number; retryAfter: string | undefined }>((resolve) => {
    const headers = { authorization, 'content-length': Buffer.byteLength(body ?? '') }
    const request = ask(
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
