import { fork } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import path from 'node:path'
import { bodyLimit } from '../../../lib/deliveries/ingest/request-and-answer.ts'
import { compareWithLog } from './compare-with-log.ts'
import {
  type LoadAttempt,
  type LoadStep,
  type PlainLoad,
  type SenderLoad,
  startPlainLoad,
  startSenderLoad,
  stepBody,
} from './load.ts'
import { type FaultTest, openTestBed, sleep, type TestReceiverAccount } from './test-bed.ts'

/** Very many senders connect at once, and then all send at once. */
export const connections: FaultTest = ({ short }) => speakAtOnce(short ? 1_000 : 10_000, 0)

/** More senders than there is memory for send the largest accepted bodies at once. */
export const large: FaultTest = ({ short }) => speakAtOnce(short ? 150 : 200, bodyLimit - 1_000)

/** The server may use this many megabytes, however many senders there are and whatever they send. */
const most = 1_000

async function speakAtOnce(count: number, padding: number): Promise<string> {
  const stage = await openTestBed('connections')
  let plain: PlainLoad | undefined
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const { port } = server
    plain = startPlainLoad(receiver, () => [port])
    const sockets: net.Socket[] = []
    for (let n = 0; n < count; n += 100)
      sockets.push(
        ...(await Promise.all(Array.from({ length: Math.min(100, count - n) }, () => connect(port)))),
      )
    const attempts: LoadAttempt[] = []
    const delivered: LoadStep[] = []
    const talks: Promise<void>[] = []
    const talk = async (first: net.Socket) => {
      const step = { transactionUuid: crypto.randomUUID(), subType: 'PENDING' }
      for (let socket = first; ; ) {
        const attempt = await post(socket, receiver, stepBody(step, padding))
        attempts.push(attempt)
        if (![0, 503].includes(attempt.status)) {
          delivered.push(step)
          socket.destroy()
          break
        }
        await sleep(1_000 + Math.random() * 4_000)
        // A server closes a connection that is silent for 5 s.
        if (socket.destroyed) socket = await connect(port)
      }
    }
    for (const [n, socket] of sockets.entries()) {
      talks.push(talk(socket))
      // The sender yields now and then. Otherwise it would read the first answers late and blame the server.
      if (n % 100 === 99) await new Promise(setImmediate)
    }
    await Promise.all(talks)
    // The flood itself makes plain answers slow, too.
    const slowestPlainMs = Math.min(plain.slowestMs, 3_000)
    const books = await compareWithLog(stage, { attempts, delivered, slowestPlainMs })
    const megabytes = server.memory().most
    if (megabytes > most) throw new Error(`The server took ${megabytes} MB`)
    return `${count} connections, ${megabytes} MB at most: ${books}`
  } finally {
    plain?.stop()
    await stage.close()
  }
}

function connect(port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.off('error', reject)
      // The attempt's `close` handler decides what an error means.
      socket.on('error', () => undefined)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

function post(
  socket: net.Socket,
  { id, authorization }: TestReceiverAccount,
  body: string,
): Promise<LoadAttempt> {
  const at = performance.now()
  // A large body takes time to send, so the wait for the answer starts afterwards.
  let whole: number | undefined
  return new Promise((resolve) => {
    const end = (chunk?: Buffer | boolean) => {
      socket.off('data', end).off('close', end)
      const answer = Buffer.isBuffer(chunk) ? chunk.toString('latin1') : ''
      resolve({
        at,
        took: performance.now() - (whole ?? performance.now()),
        status: Number(answer.slice(9, 12)),
        retryAfter: /^retry-after: (\d+)/im.exec(answer)?.[1],
      })
    }
    socket.once('data', end).once('close', end)
    socket.write(
      `POST /api/webhooks/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      () => {
        whole ??= performance.now()
      },
    )
    if (socket.writableLength === 0) whole = at
  })
}

/** Wrong secrets reach one receiver as fast as possible, while another receiver works. */
export const attack: FaultTest = async ({ short }) => {
  const stage = await openTestBed('attack')
  try {
    const receiver = await stage.addReceiver()
    const attacked = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
    const seconds = short ? 2 : 10
    await sleep(1_000)
    const before = await measure(load, seconds)
    const attackers = startAttack(server.port, attacked.id)
    const during = await measure(load, seconds)
    const refused = await attackers.stop()
    await load.finish()
    if (load.attempts.some(({ status }) => status === 401)) throw new Error('A right secret was refused')
    const books = await compareWithLog(stage, load)
    await sleep(1_000)
    const [counted] = await stage.ask<{ count: string | null }>(
      'SELECT sum(count) AS count FROM refusal WHERE receiver_id = $1',
      [attacked.id],
    )
    if (Number(counted?.count) < refused)
      throw new Error(`${refused} were refused and ${counted?.count} counted`)
    const ratio = { rate: during.perSecond / before.perSecond, p99: during.p99 / before.p99 }
    // The long form has the machine to itself, and the short ones run beside each other.
    if (!short && ratio.rate < 0.5) throw new Error(`The others were slowed to ${ratio.rate.toFixed(2)}`)
    return (
      `${Math.round(refused / seconds)} wrong secrets/s; the others ${Math.round(before.perSecond)}/s before and ` +
      `${Math.round(during.perSecond)}/s during (ratio ${ratio.rate.toFixed(2)}), p99 ${before.p99.toFixed(1)} ms ` +
      `and ${during.p99.toFixed(1)} ms (ratio ${ratio.p99.toFixed(1)}): ${books}`
    )
  } finally {
    await stage.close()
  }
}

async function measure(load: SenderLoad, seconds: number) {
  const from = load.attempts.length
  await sleep(seconds * 1_000)
  const took = load.attempts
    .slice(from)
    .map((attempt) => attempt.took)
    .toSorted((a, b) => a - b)
  return { perSecond: took.length / seconds, p99: took[Math.floor(took.length * 0.99)] ?? 0 }
}

/** The attack runs in its own process, so that it takes no time from the measuring one. */
function startAttack(port: number, receiverId: string) {
  const attacker = fork(path.join(import.meta.dirname, 'attacker.ts'), [String(port), receiverId])
  return {
    async stop(): Promise<number> {
      const said = once(attacker, 'message')
      attacker.send('stop')
      const [{ refused, others }] = await said
      if (others > 0) throw new Error(`${others} wrong secrets were not answered 401`)
      return refused
    },
  }
}
