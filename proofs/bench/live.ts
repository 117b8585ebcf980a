import type { ChildProcess } from 'node:child_process'
import crypto from 'node:crypto'
import http from 'node:http'
import path from 'node:path'
import pg from 'pg'
import { build } from '../../bin/build.ts'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { changeChannel, parseChange } from '../../lib/platform/change-notification.ts'
import { shortId } from '../../lib/words/labels/formats.ts'
import { type Browsed, browse } from './live/browse.ts'
import { startServer } from './live/server.ts'
import type { ViewerResult } from './live/viewers.ts'
import { endChild, forkChild, nextMessage } from './processes/processes.ts'

export const when = 'what tells open pages of news changed, or what the timeline does with it'

const people = 1_000
const warmUpSeconds = 3
/** The bare server sends this many messages, after as many to warm it up. */
const bareMessages = 50

/**
 * The benchmark measures the cost of 1,000 open pages for the answering process per notification, and the ms from commit to
 * message at a viewer, at 5 deliveries a second (one message each) and at 200 (ten messages a second). A bare server is the
 * baseline. At 200 a browser also measures the time to draw, scroll and type on the timeline.
 */
export default async function live([few = '5', many = '200', time = '20']: string[]): Promise<void> {
  const rates = [Number(few), Number(many)]
  const seconds = Number(time)
  const postgres = await startTemporaryPostgres('live', ['track_commit_timestamp=on', 'max_connections=100'])
  await build({ logs: postgres.folder, say: console.log, signal: new AbortController().signal })
  const url = await postgres.create('bench')
  const server = await startServer(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let notifications = 0
  const notifiedAt = new Map<string, number>()
  client.on('notification', ({ payload }) => {
    notifications += 1
    const now = performance.timeOrigin + performance.now()
    for (const [subject] of parseChange(payload ?? '')?.subjects ?? []) notifiedAt.set(subject, now)
  })
  await client.query(`LISTEN ${changeChannel}`)
  let viewers: ChildProcess | undefined
  try {
    const receiver = await server.addReceiver()
    const send = (perSecond: number, forSeconds: number) =>
      sendAtRandom(server.port, receiver, perSecond, forSeconds)
    const measure = async (perSecond: number) => {
      await send(perSecond, warmUpSeconds)
      const before = { ...(await server.cpu()), notifications }
      await send(perSecond, seconds)
      const after = await server.cpu()
      return {
        answering: after.answering - before.answering,
        streams: after.streams - before.streams,
        notifications: notifications - before.notifications,
      }
    }
    const without = new Map<number, Awaited<ReturnType<typeof measure>>>()
    for (const rate of rates) without.set(rate, await measure(rate))
    const [own = '', ...others] = await server.signIn(people + 1)
    viewers = await openViewers(server.port, others)
    const idleBefore = await server.cpu()
    await sleep(seconds * 500)
    const idle = await server.cpu()
    const idleCost =
      (idle.answering + idle.streams - idleBefore.answering - idleBefore.streams) / (seconds / 2)
    console.log(
      `${people} viewers cost ${idleCost.toFixed(0)} ms of the processor a second when nothing happens`,
    )
    const lines: string[] = []
    for (const rate of rates) {
      viewers.send('count')
      const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now')
      const beside = await measure(rate)
      await sleep(1_000)
      const received: ViewerResult = JSON.parse(await ask(viewers, 'end'))
      const stored = await client.query<Stored>(STORED, [rows[0]?.now])
      const delays = delaysOf(stored.rows, received.arrivals)
      const notified = delaysOf(
        stored.rows,
        [...notifiedAt].map(([id, at]) => [id, [at]] as const),
      )
      const missing = stored.rows.filter(
        ({ subject_id }) => !received.arrivals.some(([id]) => id === subject_id),
      )
      const idly = without.get(rate)
      const each = (part: 'answering' | 'streams') =>
        ((beside[part] - (idly?.[part] ?? 0)) / beside.notifications).toFixed(1)
      console.log(
        `${rate} deliveries a second for ${seconds} s, ${(beside.notifications / seconds).toFixed(1)} notifications and ${(received.messages / (seconds + warmUpSeconds)).toFixed(1)} messages to each viewer a second`,
      )
      console.log(
        `stored to the projector's notification: p50 ${at(notified, 0.5)} ms, p95 ${at(notified, 0.95)} ms`,
      )
      console.log(
        `stored to the viewer's message: p50 ${at(delays, 0.5)} ms, p95 ${at(delays, 0.95)} ms, most ${at(delays, 1)} ms; ${missing.length} of ${stored.rows.length} never sent`,
      )
      lines.push(
        `rate=${rate} cpu_ms=${each('answering')} p95_ms=${at(delays, 0.95)} streams_cpu_ms=${each('streams')}`,
      )
    }
    const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now')
    const most = Math.max(...rates)
    const browsed = await browse(`http://localhost:${server.port}`, own, (time) => send(most, time), seconds)
    const sent = await client.query<Stored>(STORED, [rows[0]?.now])
    const drawn = delaysUntilDrawn(sent.rows, browsed.drawn)
    await endChild(viewers)
    console.log(
      `a bare server writes a message to ${people} viewers in ${(await bareCost()).toFixed(1)} ms of the processor`,
    )
    const seen = sayBrowsed(drawn, browsed)
    for (const line of lines) console.log(`live ${line}`)
    console.log(`live ${seen}`)
  } finally {
    if (viewers) await endChild(viewers)
    await client.end()
    await server.stop()
    await postgres.stop()
  }
}

interface Stored {
  readonly subject_id: string
  readonly ms: number
}

/** Each delivery belongs to its own transaction. The machine's clock is also the database's. */
const STORED = `
  SELECT subject_id, extract(epoch FROM pg_xact_commit_timestamp(delivery.xmin))::float8 * 1000 AS ms
  FROM delivery JOIN event_delivery ON delivery_id = id WHERE delivery.received_at >= $1`

/** The delays are in milliseconds, ascending, of every message at every sampled viewer. */
function delaysOf(stored: readonly Stored[], arrivals: ViewerResult['arrivals']): number[] {
  const at = new Map(stored.map(({ subject_id, ms }) => [subject_id, ms]))
  return arrivals
    .flatMap(([subject, times]) => {
      const since = at.get(subject)
      return since === undefined ? [] : times.map((time) => time - since)
    })
    .sort((a, b) => a - b)
}

/**
 * The function prints how long a person at a browser waited and whether the goal is met, and answers the figures for the
 * last line.
 */
function sayBrowsed(drawn: readonly number[], { frames, keys }: Browsed): string {
  const waits = [
    { name: 'drawn', what: 'stored to drawn in a browser', times: drawn, part: 0.95, goal: 250 },
    { name: 'frame', what: 'a frame while scrolling', times: frames, part: 0.99, goal: 50 },
    { name: 'key', what: 'a key until its frame', times: keys, part: 0.99, goal: 50 },
  ].map((wait) => ({ ...wait, times: wait.times.toSorted((a, b) => a - b) }))
  for (const { what, times } of waits)
    console.log(
      `${what}: p50 ${at(times, 0.5)} ms, p95 ${at(times, 0.95)} ms, p99 ${at(times, 0.99)} ms, most ${at(times, 1)} ms of ${times.length}`,
    )
  for (const { what, times, part, goal } of waits)
    console.log(
      `${Number(at(times, part)) <= goal ? 'met    ' : 'NOT MET'} ${what}: p${part * 100} at most ${goal} ms`,
    )
  return waits.map(({ name, times, part }) => `${name}_ms=${at(times, part)}`).join(' ')
}

/** The delays are in milliseconds, ascending, of every row that the browser drew. */
function delaysUntilDrawn(
  stored: readonly Stored[],
  drawn: readonly (readonly [shortId: string, at: number])[],
): number[] {
  const at = new Map(
    stored.map(({ subject_id, ms }) => [shortId(subject_id.replace('transaction:', '')), ms]),
  )
  return drawn
    .flatMap(([id, time]) => {
      const since = at.get(id)
      return since === undefined ? [] : time - since
    })
    .sort((a, b) => a - b)
}

const at = (sorted: readonly number[], part: number) =>
  sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)]?.toFixed(0) ?? 'none'

async function openViewers(port: number, cookies: readonly string[]): Promise<ChildProcess> {
  const child = forkChild(path.join(import.meta.dirname, 'live/viewers.ts'), [String(port), ...cookies])
  await nextMessage(child)
  return child
}

async function bareCost(): Promise<number> {
  const server = forkChild(path.join(import.meta.dirname, 'live/bare.ts'), [])
  const none = Array.from({ length: people }, () => 'none=none')
  const viewers = await openViewers(Number(await nextMessage(server)), none)
  await ask(server, String(bareMessages))
  const cost = Number(await ask(server, String(bareMessages)))
  await endChild(viewers)
  await endChild(server)
  return cost
}

function ask(child: ChildProcess, word: string): Promise<string> {
  const answer = nextMessage(child)
  child.send(word)
  return answer
}

/** Deliveries are sent at random moments, this many a second on average, whether the earlier ones are answered or not. */
async function sendAtRandom(
  port: number,
  receiver: { readonly path: string; readonly secret: string },
  perSecond: number,
  seconds: number,
) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 20 })
  const began = performance.now()
  const underWay: Promise<void>[] = []
  let due = began
  while (due < began + seconds * 1000) {
    await sleep(Math.max(0, due - performance.now()))
    underWay.push(send(port, receiver, agent))
    due -= (Math.log(1 - Math.random()) / perSecond) * 1000
  }
  await Promise.all(underWay)
  agent.destroy()
}

function send(port: number, receiver: { path: string; secret: string }, agent: http.Agent): Promise<void> {
  const body = JSON.stringify({
    type: 'fiatToCrypto',
    subType: 'PENDING',
    uuid: crypto.randomUUID(),
    data: { status: 'PENDING', transactionUuid: crypto.randomUUID(), amountFiat: 4.76, currencyFiat: 'EUR' },
  })
  const headers = {
    'content-type': 'application/json',
    authorization: `API-Key ${receiver.secret}`,
    'content-length': Buffer.byteLength(body),
  }
  return new Promise((resolve, reject) => {
    const request = http.request({ port, agent, method: 'POST', path: receiver.path, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`A delivery was answered ${answer.statusCode}`))
      answer.resume().once('close', resolve)
    })
    request.once('error', reject)
    request.end(body)
  })
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
