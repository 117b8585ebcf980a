import crypto from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { freePort } from '../../bin/postgres.ts'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { startRampart } from '../bench/installation/installation.ts'
import { childOf } from './faults/process.ts'

export const when = 'ingest, the queue or the supervisor changed; a minute, or half with 300 deliveries'

/**
 * The proof kills the server (SIGKILL) in the middle of deliveries, and its supervisor starts it again. Every delivery
 * answered 2xx must soon be on the timeline, and the sandbox's retries must bring all the others.
 * @param words how many deliveries; 1,000 by default
 */
export default async function runKillTest(words: string[]): Promise<void> {
  const total = Number(words[0] ?? 1_000)
  const postgres = await startTemporaryPostgres('kill')
  const [port, sandboxPort] = [await freePort(), await freePort()]
  const rampart = await startRampart({
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    RAMPART_DATA_DIR: path.join(postgres.folder, 'data'),
    DATABASE_URL: await postgres.create('rampart'),
    SANDBOX_DATABASE_URL: await postgres.create('sandbox'),
    NEXTAUTH_SECRET: crypto.randomBytes(32).toString('base64'),
    RAMPART_KEYS: `k1:${crypto.randomBytes(32).toString('base64')}`,
  })
  const sandboxUrl = `http://localhost:${sandboxPort}/_sandbox`
  const database = await connect(postgres.url('rampart'))
  const user = z.array(z.object({ uuid: z.string() })).parse(await ask(`${sandboxUrl}/users`))[0]
  if (!user) throw new Error('The demo has no user')
  const numbers = Array.from({ length: total }, (_, n) => n)
  let sent = 0
  const send = async (n: number) => {
    const envelope = { type: 'KYC', subType: 'proof', uuid: user.uuid, data: { n } }
    await ask(`${sandboxUrl}/events`, envelope)
    sent += 1
  }
  const all = inParallel(16, numbers, send)
  while (sent < total * 0.4) await sleep(5)
  const server = childOf(rampart.pid ?? 0, 'server.ts')
  process.kill(server, 'SIGKILL')
  console.log(`killed the server (process ${server}) after ${sent} of ${total} events`)
  const answered = await answeredWithSuccess(postgres.url('sandbox'))
  if (answered.size === 0) throw new Error('Nothing was answered before the kill: this run proves nothing')
  await all
  await until(60_000, async () => isAnswering(port))
  await until(30_000, async () => missingFrom(answered, await onTimeline(database)).length === 0)
  const missing = missingFrom(answered, await onTimeline(database))
  console.log(
    `answered 2xx before the kill: ${answered.size}; of these missing after the new start: ${missing.length}`,
  )
  if (missing.length > 0) throw new Error(`Answered 2xx and lost: ${missing.slice(0, 10).join(', ')}`)

  // The retries would take a minute in real time.
  await ask(`${sandboxUrl}/clock/advance`, { seconds: 70 })
  const wanted = new Set(numbers)
  const waitingSince = Date.now()
  await until(180_000, async () => missingFrom(wanted, await onTimeline(database)).length === 0)
  const left = missingFrom(wanted, await onTimeline(database))
  console.log(
    `${total - left.length} of ${total} on the timeline ${Math.round((Date.now() - waitingSince) / 1000)} s after the new start`,
  )
  rampart.kill('SIGTERM')
  const [end] = await once(rampart, 'exit')
  await database.end()
  await postgres.stop()
  if (left.length > 0) throw new Error(`${left.length} never arrived: ${left.slice(0, 10).join(', ')}`)
  if (end !== 0) throw new Error(`npm start ended with ${end} after SIGTERM`)
  console.log('kill: nothing lost')
}

/** The function checks repeatedly, for `patience` ms at most. */
async function until(patience: number, isDone: () => Promise<boolean>) {
  const end = Date.now() + patience
  while (!(await isDone()) && Date.now() < end) await sleep(250)
}

const isAnswering = (port: number) =>
  fetch(`http://localhost:${port}/sign-in`).then(
    ({ status }) => status === 200,
    () => false,
  )

/** The result comes from the sandbox's own record of its attempts. */
async function answeredWithSuccess(url: string): Promise<Set<number>> {
  const client = await connect(url)
  const { rows } = await client.query<{ n: number }>(
    `SELECT DISTINCT (e.body::json -> 'data' ->> 'n')::int AS n
     FROM attempt a JOIN delivery d ON d.id = a.delivery_id JOIN event e ON e.id = d.event_id
     WHERE a.status BETWEEN 200 AND 299 AND e.body::json ->> 'subType' = 'proof'`,
  )
  await client.end()
  return new Set(rows.map((row) => row.n))
}

async function onTimeline(database: pg.Client): Promise<Set<number>> {
  const { rows } = await database.query<{ n: number }>(
    `SELECT (convert_from(event_body(id, envelope), 'UTF8')::json -> 'data' ->> 'n')::int AS n FROM event WHERE sub_type = 'proof'`,
  )
  return new Set(rows.map((row) => row.n))
}

const missingFrom = (wanted: Set<number>, present: Set<number>) => [...wanted].filter((n) => !present.has(n))

async function inParallel(workers: number, jobs: readonly number[], work: (job: number) => Promise<void>) {
  const left = jobs.values()
  const worker = async () => {
    for (const job of left) await work(job)
  }
  await Promise.all(Array.from({ length: workers }, worker))
}

async function ask(url: string, body?: object): Promise<unknown> {
  const init = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const answer = await fetch(url, init)
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
