import crypto from 'node:crypto'
import http from 'node:http'
import { percentile } from '../pages/time-page.ts'

/** The result describes a load at an even pace. */
export interface SteadyResult {
  readonly stored: number
  readonly failed: number
  /** The times are the milliseconds until the answer. */
  readonly p50: number
  readonly p99: number
}

// The load sends this many deliveries a second, answered or not: four steps of each transaction, a quarter of a second
// apart. It ends after the given seconds, or when it is stopped. Bodies are longer by `padding` bytes.
const [port = '', receiverId = '', secret = '', perSecond = '', seconds = '', padding = '0'] =
  process.argv.slice(2)
const steps = ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS']
const agent = new http.Agent({ keepAlive: true, maxSockets: 50 })
const note = 'x'.repeat(Number(padding))
let total = Number(perSecond) * Number(seconds)
const begun = Number(perSecond) / steps.length
const transactions: { readonly uuid: string; readonly user: string }[] = []
const began = performance.now()
const under = new Set<Promise<void>>()
let stored = 0
let failed = 0
const times: number[] = []
let sent = 0
process.once('message', () => {
  total = sent
})

while (sent < total) {
  const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * Number(perSecond)))
  for (; sent < due; sent++) {
    const one = send(sent).finally(() => under.delete(one))
    under.add(one)
  }
  await new Promise((resolve) => setTimeout(resolve, 2))
}
await Promise.all(under)
const result: SteadyResult = { stored, failed, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
process.send?.(JSON.stringify(result))
process.disconnect()

/** Each second starts as many transactions as can take all their steps in it. */
function send(n: number): Promise<void> {
  const step = Math.floor(n / begun) % steps.length
  const transaction = transactionOf(Math.floor(n / (begun * steps.length)) * begun + (n % begun))
  const body = JSON.stringify({
    type: 'fiatToCrypto',
    subType: steps[step],
    uuid: transaction.user,
    data: {
      status: steps[step],
      transactionUuid: transaction.uuid,
      direction: 'fiatToCrypto',
      amountFiat: 4.76,
      currencyFiat: 'EUR',
      walletAddress: `0x${transaction.uuid.replaceAll('-', '')}00000000`,
      ...(note ? { note } : {}),
      ...(step >= 2 ? { transactionHash: `0x${transaction.uuid.replaceAll('-', '').repeat(2)}` } : {}),
    },
  })
  const sentAt = performance.now()
  return new Promise((resolve) => {
    const request = http.request(
      { port, agent, method: 'POST', path: `/api/webhooks/${receiverId}`, headers: headersOf(body) },
      (answer) => {
        times.push(performance.now() - sentAt)
        if (answer.statusCode === 200) stored += 1
        else failed += 1
        answer.resume().once('close', resolve)
      },
    )
    request.once('error', () => {
      failed += 1
      resolve()
    })
    request.end(body)
  })
}

function transactionOf(index: number) {
  transactions[index] ??= { uuid: crypto.randomUUID(), user: crypto.randomUUID() }
  return transactions[index]
}

function headersOf(body: string) {
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    authorization: `API-Key ${secret}`,
    'content-length': Buffer.byteLength(body),
  }
}
