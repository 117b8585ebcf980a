import type { ChildProcess } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { z } from 'zod'
import { freePort } from '../../bin/postgres.ts'
import { maxAttempts, retryDelaySeconds } from '../../lib/deliveries/rules/retry-schedule.ts'
import { openPool } from '../../lib/platform/db/pool.ts'
import { toKeys } from '../../lib/platform/env.ts'
import { secretDigester } from '../../lib/platform/keys/digests-and-seals.ts'
import { rebuild } from '../../lib/timeline/projector/rebuild.ts'
import { digestOf } from '../../test/projections.ts'
import { seeded } from '../bench/history/paths.ts'
import { endInOrder, startRampart } from '../bench/installation/installation.ts'
import { compareStates, randomLife, type SubjectLife } from './faults/lives.ts'
import { childOf } from './faults/process.ts'
import {
  foldedContent,
  newKeys,
  openTestBed,
  sleep,
  type TestBed,
  waitUntilFolded,
  withClient,
} from './faults/test-bed.ts'

export const when = 'the heartbeat, outages, their evidence, or starting and stopping changed; ten minutes'

const roundSeconds = 120
const strikeEverySeconds = 20
const livesPerSecond = 2
/** No life begins in these seconds before and after the end of a round, so that what the last strike left is folded. */
const quietSeconds = 10

/**
 * The proof restarts, kills and fails over all of Rampart every 20 s. The retry schedule (§6.8) reports lives of
 * transactions, accounts and verifications to two endpoints; later retries are sent at the end by a virtual clock. After
 * each round every status must be true or marked, and a rebuild must give the same rows.
 * @param words how many rounds of two minutes; 5 by default
 */
export default async function proveRestarts(words: string[]): Promise<void> {
  const rounds = Number(words[0] ?? 5)
  const stage = await openTestBed('restarts')
  let rampart: ChildProcess | undefined
  try {
    await stage.ask('CREATE DATABASE sandbox')
    await stage.ask(VIRTUAL_TIME)
    const keys = newKeys()
    const [port, sandboxPort] = [await freePort(), await freePort()]
    const variables = {
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      RAMPART_DATA_DIR: path.join(stage.folder, 'data'),
      DATABASE_URL: stage.url,
      SANDBOX_DATABASE_URL: stage.url.replace(/rampart$/, 'sandbox'),
      NEXTAUTH_SECRET: crypto.randomBytes(32).toString('base64'),
      SANDBOX_API_KEY: crypto.randomUUID(),
      RAMPART_KEYS: keys,
    }
    const start = async () => {
      rampart = await startRampart(variables)
    }
    await start()
    const here = { port, sandboxPort, apiKey: variables.SANDBOX_API_KEY, keys }
    const receivers = [await addEndpoint(stage, here), await addEndpoint(stage, here)]
    const sender = new Sender(receivers)
    const random = seeded(33)
    const lives: SubjectLife[] = []
    for (let round = 0; round < rounds; round++) {
      const times = { begin: [0, (roundSeconds - quietSeconds) * 1_000], stay: [1, 60] } as const
      const born = Array.from({ length: livesPerSecond * roundSeconds }, () => randomLife(random, times))
      const began = Date.now()
      for (const life of born) sender.tell(life, began)
      lives.push(...born)
      for (let strike = 1; strike * strikeEverySeconds <= roundSeconds; strike++) {
        await sleep(began + strike * strikeEverySeconds * 1_000 - Date.now())
        const kinds = Object.entries(strikes)
        const [name, hit] = kinds[(round + strike) % kinds.length] ?? []
        if (!name || !hit || !rampart) throw new Error('Nothing to strike with')
        console.log(`round ${round + 1}: ${name}`)
        await hit({ stage, rampart, start })
      }
      await sleep(quietSeconds * 1_000)
      console.log(await compareRound(stage, sender))
    }
    await sendLater(stage, sender)
    await waitUntilFolded(stage.url)
    console.log(
      `in the end ${await compareStates(stage, new Map(lives.map((life) => [life, life.events.length - 1])))}`,
    )
    const rows = await foldedContent(stage.url)
    await rebuildAll(stage)
    if ((await foldedContent(stage.url)) !== rows) throw new Error('A rebuild gives other rows')
    console.log(
      `restarts: ${sender.answered} deliveries, ${sender.failed} failed attempts, rows the same after a rebuild`,
    )
  } finally {
    await endInOrder(rampart)
    await stage.close()
  }
}

interface Struck {
  readonly stage: TestBed
  readonly rampart: ChildProcess
  readonly start: () => Promise<void>
}

/** A strike hits all of Rampart, or a part of it, and ends when that runs again. */
const strikes: Readonly<Record<string, (struck: Struck) => Promise<void>>> = {
  'a restart': async ({ rampart, start }) => {
    await endInOrder(rampart)
    await start()
  },
  'a power cut': async ({ rampart, start }) => {
    const gone = once(rampart, 'exit')
    rampart.kill('SIGKILL')
    await gone
    await start()
  },
  'a restart that takes 5 s longer': async ({ rampart, start }) => {
    await endInOrder(rampart)
    await sleep(5_000)
    await start()
  },
  'a fail-over of the database': async ({ stage }) => {
    await stage.database.stop()
    await sleep(5_000)
    await stage.database.start()
  },
  'a death of the projector': async ({ rampart }) => {
    process.kill(childOf(rampart.pid ?? 0, 'projector.ts'), 'SIGKILL')
  },
}

interface Receiver {
  readonly url: string
  readonly authorization: string
}

interface Here {
  readonly port: number
  readonly sandboxPort: number
  readonly apiKey: string
  readonly keys: string
}

/** The sandbox has an endpoint that delivers here with its receiver, so that the watcher sees it. */
async function addEndpoint(stage: TestBed, { port, sandboxPort, apiKey, keys }: Here): Promise<Receiver> {
  const id = crypto.randomUUID()
  const url = `http://localhost:${port}/api/webhooks/${id}`
  const answer = await fetch(`http://localhost:${sandboxPort}/onboarding/merchant/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ url, description: 'A proof' }),
  })
  if (!answer.ok) throw new Error(`The endpoint was refused: ${await answer.text()}`)
  const { signing_secret: secret } = z.object({ signing_secret: z.string() }).parse(await answer.json())
  const { digest, keyId } = secretDigester(toKeys(keys)).digest(secret)
  await stage.ask(
    `INSERT INTO receiver (id, state, secret_digest, secret_key_id) VALUES ($1, 'active', $2, $3)`,
    [id, digest, keyId],
  )
  await stage.ask(
    `INSERT INTO receiver_period (receiver_id, began_at, events, last_seen_at) VALUES ($1, now(), '{*}', now())`,
    [id],
  )
  return { url, authorization: `API-Key ${secret}` }
}

/** A job is one attempt of §6.8 to come. Times are ms since 1970. */
interface Job {
  readonly life: SubjectLife
  readonly event: number
  readonly receiver: Receiver
  /** The number runs from 1 to 7. */
  readonly number: number
  readonly dueAt: number
}

/** The sender reports lives as the service would, and keeps what is known of each. */
class Sender {
  readonly #receivers: readonly Receiver[]
  /** Jobs have timers, but none while the sender pauses. */
  readonly #waiting = new Map<Job, NodeJS.Timeout | null>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #answered = new Map<SubjectLife, number>()
  /** An attempt of these events broke off, so nobody knows whether it was stored. */
  readonly #brokenOff = new Map<SubjectLife, number>()
  readonly #open = new Map<SubjectLife, number>()
  answered = 0
  failed = 0

  constructor(receivers: readonly Receiver[]) {
    this.#receivers = receivers
  }

  tell(life: SubjectLife, began: number): void {
    this.#open.set(life, life.events.length * this.#receivers.length)
    for (const [event, { at }] of life.events.entries())
      for (const receiver of this.#receivers)
        this.#schedule({ life, event, receiver, number: 1, dueAt: began + at + crypto.randomInt(2, 500) })
  }

  /** The promise settles when nothing is in progress any more. */
  async pause(): Promise<void> {
    for (const [job, timer] of this.#waiting) {
      if (timer) clearTimeout(timer)
      this.#waiting.set(job, null)
    }
    await Promise.all(this.#underWay)
  }

  resume(): void {
    for (const job of this.#waiting.keys()) this.#schedule(job)
  }

  /**
   * The result is the latest event of each life that was surely received, where no later one may have been. Call it while
   * the sender pauses.
   */
  known(): Map<SubjectLife, number> {
    return new Map([...this.#answered].filter(([life, event]) => (this.#brokenOff.get(life) ?? -1) <= event))
  }

  /** Every receiver answered every event of these lives. */
  complete(): SubjectLife[] {
    return [...this.#open].flatMap(([life, open]) => (open === 0 ? [life] : []))
  }

  /** The result is the attempt that is due next, or null. Call it while the sender pauses. */
  takeNext(): Job | null {
    const [next] = [...this.#waiting.keys()].toSorted((a, b) => a.dueAt - b.dueAt)
    if (next) this.#waiting.delete(next)
    return next ?? null
  }

  async attempt(job: Job): Promise<'taken' | 'failed'> {
    const { life, event, receiver, number } = job
    const outcome = await post(receiver, life.events[event]?.body ?? '')
    if (outcome === 'taken') {
      this.answered++
      this.#answered.set(life, Math.max(event, this.#answered.get(life) ?? -1))
      this.#open.set(life, (this.#open.get(life) ?? 0) - 1)
      return 'taken'
    }
    this.failed++
    if (outcome === 'broken off') this.#brokenOff.set(life, Math.max(event, this.#brokenOff.get(life) ?? -1))
    if (number === maxAttempts) throw new Error('The seventh attempt failed')
    const dueAt = Date.now() + retryDelaySeconds(number) * 1_000 + crypto.randomInt(10, 500)
    this.#schedule({ ...job, number: number + 1, dueAt })
    return 'failed'
  }

  #schedule(job: Job): void {
    const timer = setTimeout(
      () => {
        this.#waiting.delete(job)
        const attempt = this.attempt(job).then(() => void this.#underWay.delete(attempt))
        this.#underWay.add(attempt)
      },
      Math.max(0, job.dueAt - Date.now()),
    )
    this.#waiting.set(job, timer)
  }
}

/** `refused` means surely not stored. The service gives an attempt up after half a minute. */
async function post(
  { url, authorization }: Receiver,
  body: string,
): Promise<'taken' | 'refused' | 'broken off'> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', connection: 'close' },
      body,
      signal: AbortSignal.timeout(30_000),
    })
    await answer.arrayBuffer()
    if (answer.status === 200) return 'taken'
    if (answer.status === 503) return 'refused'
    throw new Error(`Answered ${answer.status}`)
  } catch (error) {
    if (!(error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')))
      throw error
    return 'broken off'
  }
}

/** The function compares the truth while nothing is sent, and then rebuilds beside new deliveries. */
async function compareRound(stage: TestBed, sender: Sender): Promise<string> {
  await sender.pause()
  await waitUntilFolded(stage.url)
  const seen = await compareStates(stage, sender.known())
  const subjects = sender.complete().map(({ subject }) => subject)
  const content = () => withClient(stage.url, (client) => digestOf(client, subjects))
  const rows = await content()
  sender.resume()
  await rebuildAll(stage)
  await waitUntilFolded(stage.url)
  if ((await content()) !== rows)
    throw new Error(`A rebuild gives other rows for some of ${subjects.length} subjects`)
  return `${seen}; ${subjects.length} subjects the same after a rebuild`
}

async function rebuildAll(stage: TestBed) {
  const pool = openPool(stage.url, 2)
  try {
    const { kind, deadLetters } = await rebuild(pool, {
      signal: new AbortController().signal,
      onProgress: () => undefined,
    })
    if (kind !== 'finished' || deadLetters > 0) throw new Error(`${kind}, ${deadLetters} dead letters`)
  } finally {
    await pool.end()
  }
}

const VIRTUAL_TIME = `
  CREATE TABLE virtual_time (at timestamptz(3));
  CREATE FUNCTION put_virtual_time() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.received_at := COALESCE((SELECT max(at) FROM virtual_time), NEW.received_at);
      RETURN NEW;
    END $$;
  CREATE TRIGGER virtual_time BEFORE INSERT ON delivery FOR EACH ROW EXECUTE FUNCTION put_virtual_time()`

/** Attempts due after the last round are sent one after the other, each at its own time. */
async function sendLater(stage: TestBed, sender: Sender) {
  await sender.pause()
  for (let job = sender.takeNext(); job; job = sender.takeNext()) {
    await stage.ask('INSERT INTO virtual_time VALUES ($1)', [new Date(job.dueAt)])
    if ((await sender.attempt(job)) !== 'taken') throw new Error('Refused although nothing was struck')
  }
}
