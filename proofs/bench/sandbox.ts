import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startChild } from '../../bin/child.ts'
import { freePort } from '../../bin/postgres.ts'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'

export const when = "the sandbox's deliverer or its tables changed"

const apiKey = 'sandbox-bench-key'
/** The pace is a little above the goal of 500. */
const perSecond = 520
const secondsEach = 6
const rounds = 5
const endpoints = 10_000
const calls = 20

/**
 * The benchmark measures the time from an event's creation to its arrival at a receiver, at a steady pace, by turns with a
 * loop that only sends. The first round warms up, and the median of the others counts. It then measures the list of
 * endpoints, call after call.
 */
export default async function sandbox(): Promise<void> {
  const postgres = await startTemporaryPostgres('bench')
  const database = new pg.Client({ connectionString: postgres.url('postgres') })
  await database.connect()
  const port = await freePort()
  const service = await startChild('sandbox', 'sandbox/main.ts', {
    logs: postgres.folder,
    variables: {
      SANDBOX_PORT: String(port),
      SANDBOX_DATABASE_URL: postgres.url('postgres'),
      SANDBOX_API_KEY: apiKey,
      SANDBOX_LOG_LEVEL: 'warn',
    },
  })
  const receiver = start('receiver.ts', [])
  const receiverPort = await nextMessage<number>(receiver)
  const bare = start('bare.ts', [String(receiverPort), String(perSecond)])
  await nextMessage(bare)
  try {
    const call = caller(port)
    await call('POST', '/onboarding/user', person)
    await call('POST', '/onboarding/merchant/webhook-endpoints', {
      url: `http://127.0.0.1:${receiverPort}/hook`,
      description: 'Bench',
    })
    const sides: Record<'sandbox' | 'bare', Measured[]> = { sandbox: [], bare: [] }
    for (let round = 0; round <= rounds; round++) {
      const whole = await measureSandbox(call, database, receiver)
      const loop = await measureBare(bare, receiver, whole.bodies)
      if (round === 0) continue
      for (const [name, side] of Object.entries({ sandbox: whole, bare: loop }))
        console.log(
          `${name.padEnd(7)} ${Math.round(side.perSecond)}/s, p50 ${at(side.times, 0.5)} ms, p99 ${at(side.times, 0.99)} ms, longest ${at(side.times, 1)} ms`,
        )
      sides.sandbox.push(whole)
      sides.bare.push(loop)
    }
    const list = await measureList(call, database)
    const p99 = (side: Measured[]) => median(side.map(({ times }) => at(times, 0.99)))
    console.log(
      [
        `sandbox per_second=${Math.round(median(sides.sandbox.map((run) => run.perSecond)))}`,
        `p99_ms=${p99(sides.sandbox)} p99_ratio=${(p99(sides.sandbox) / Math.max(1, p99(sides.bare))).toFixed(1)}`,
        `list_ms=${at(list, 0.5)} list_max_ms=${at(list, 1)}`,
      ].join(' '),
    )
  } finally {
    for (const child of [bare, receiver]) child.kill('SIGKILL')
    await service.stop()
    await database.end()
    await postgres.stop()
  }
}

/**
 * The times are milliseconds from creation to arrival, shortest first. The rate counts arrivals per second from the first
 * creation on.
 */
interface Measured {
  readonly times: number[]
  readonly perSecond: number
}

/** Each body occurs once, so that its creation and its arrival can be matched. */
const mix = { 'fiat-to-crypto': 1, 'crypto-to-fiat': 1 }

async function measureSandbox(call: Call, database: pg.Client, receiver: ChildProcess) {
  const from = new Date()
  const { events } = await call('POST', '/_sandbox/load', {
    per_second: perSecond,
    seconds: secondsEach,
    mix,
  })
  const arrived = await arrivals(receiver, Number(events))
  const { rows } = await database.query<{ body: string; created_at: Date }>(
    'SELECT body, created_at FROM event WHERE created_at >= $1',
    [from],
  )
  const created = rows.map(({ body, created_at }) => [body, created_at.getTime()] as const)
  return { ...compare(created, arrived), bodies: rows.map(({ body }) => body) }
}

async function measureBare(bare: ChildProcess, receiver: ChildProcess, bodies: string[]) {
  bare.send(bodies)
  const created = await nextMessage<[string, number][]>(bare)
  return compare(created, await arrivals(receiver, bodies.length))
}

/** The promise settles once everything has arrived. */
async function arrivals(receiver: ChildProcess, count: number): Promise<Map<string, number>> {
  do {
    await sleep(500)
    receiver.send('count')
  } while ((await nextMessage<number>(receiver)) < count)
  receiver.send('all')
  return new Map(await nextMessage<[string, number][]>(receiver))
}

function compare(created: (readonly [string, number])[], arrived: Map<string, number>): Measured {
  const times = created.map(([body, at]) => {
    const arrival = arrived.get(body)
    if (arrival === undefined) throw new Error('An event did not arrive')
    return arrival - at
  })
  const from = Math.min(...created.map(([, at]) => at))
  const until = Math.max(...arrived.values())
  return { times: times.sort((a, b) => a - b), perSecond: (times.length / (until - from)) * 1000 }
}

async function measureList(call: Call, database: pg.Client): Promise<number[]> {
  await database.query(
    `INSERT INTO webhook_endpoint (uuid, url, description, subscribed_events, status, signing_secret, created_at)
     SELECT gen_random_uuid(), 'https://merchant.example/hook/' || n, 'Endpoint ' || n, ARRAY['KYC', 'fiatToCrypto'],
       'active', 'secret', now() FROM generate_series(1, $1) AS n`,
    [endpoints],
  )
  const times: number[] = []
  for (let n = 0; n < calls; n++) {
    const sent = performance.now()
    await call('GET', '/onboarding/merchant/webhook-endpoints')
    times.push(Math.round(performance.now() - sent))
  }
  return times.sort((a, b) => a - b)
}

type Call = ReturnType<typeof caller>

const caller =
  (port: number) =>
  async (method: string, where: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await fetch(`http://127.0.0.1:${port}${where}`, {
      method,
      headers: { Authorization: apiKey, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${where} was answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }

const person = { email: 'ana@demo.test', first_name: 'Ana', last_name: 'Ruiz', country: 'ES' }

const start = (file: string, words: string[]) => fork(path.join(import.meta.dirname, 'sandbox', file), words)

const nextMessage = <Message>(child: ChildProcess) =>
  new Promise<Message>((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`A process of the benchmark ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as Message)
    })
  })

const median = (figures: number[]) =>
  at(
    figures.toSorted((a, b) => a - b),
    0.5,
  )

/** The time is one that this share of the times does not exceed. */
const at = (times: number[], share: number) => times[Math.ceil(times.length * share) - 1] ?? 0
