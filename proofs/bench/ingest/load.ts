import crypto from 'node:crypto'
import net from 'node:net'

/** The result describes one run of load. Times are in milliseconds. */
export interface LoadResult {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
}

// The load runs for as many seconds as a message says, on 50 connections. Each connection sends its next delivery when the
// last is answered.
const [port = '', receiverId = '', secret = ''] = process.argv.slice(2)
const connections = 50
process.on('message', (seconds) => void measure(Number(seconds)))

async function measure(seconds: number) {
  const times: number[] = []
  let failed = 0
  const open = await Promise.all(Array.from({ length: connections }, connect))
  const until = performance.now() + seconds * 1000
  await Promise.all(
    open.map(async ({ socket, send }) => {
      for (let sent = performance.now(); sent < until; sent = performance.now()) {
        if ((await send()) === '200') times.push(performance.now() - sent)
        else failed += 1
      }
      socket.destroy()
    }),
  )
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  const result: LoadResult = { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), failed }
  process.send?.(JSON.stringify(result))
}

/** `send` resolves with the status of the answer. */
async function connect() {
  const socket = net.connect(Number(port), '127.0.0.1')
  socket.setNoDelay(true)
  let answered: (status: string) => void = () => undefined
  let read = ''
  socket.on('data', (chunk) => {
    read += chunk.toString('latin1')
    const head = read.indexOf('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(read)?.[1] ?? 0)
    if (head < 0 || read.length < head + 4 + length) return
    const status = read.slice(9, 12)
    read = ''
    answered(status)
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  const send = () =>
    new Promise<string>((resolve) => {
      answered = resolve
      socket.write(request())
    })
  return { socket, send }
}

function request(): string {
  const body = JSON.stringify({
    type: 'fiatToCrypto',
    subType: 'IN_PROGRESS',
    uuid: crypto.randomUUID(),
    data: {
      status: 'OUTSIDE_TRANSFER_IN_REVIEW',
      transactionUuid: crypto.randomUUID(),
      direction: 'fiatToCrypto',
      amountFiat: 4.76,
      currencyFiat: 'EUR',
      walletAddress: `0x${crypto.randomBytes(20).toString('hex')}`,
      senderDetails: { senderName: 'A Sender', senderCountry: 'DE', accountDetails: { currency: 'EUR' } },
    },
  })
  return [
    `POST /api/webhooks/${receiverId} HTTP/1.1`,
    'Host: localhost',
    'Accept: application/json',
    'Content-type: application/json',
    `Authorization: API-Key ${secret}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
