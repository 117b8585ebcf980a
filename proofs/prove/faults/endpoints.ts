import crypto from 'node:crypto'
import { recordReceiving } from '../../../lib/deliveries/receivers/receiver-store.ts'
import { inTransaction } from '../../../lib/platform/db/in-transaction.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'
import { seeded } from '../../bench/history/paths.ts'
import { arrivalsOf, compareStates, isActive, type LifeArrival, lifeEndpoints, randomLife } from './lives.ts'
import {
  type FaultTest,
  foldedContent,
  openTestBed,
  type TestBed,
  type TestReceiverAccount,
  waitUntilFolded,
} from './test-bed.ts'

/**
 * The proof changes endpoints during simulated lives and compares the timeline with the truth. Server, projector, requests
 * and watcher are real. Time is simulated: two days pass in seconds, by a trigger for deliveries and by the watcher's clock.
 * The simulated sender decides who gets what.
 */
export const endpoints: FaultTest = async ({ short }) => {
  const stage = await openTestBed('endpoints')
  const pool = openPool(stage.url, 1)
  try {
    await stage.ask(STORY_TIME)
    const began = Date.now() - 48 * 3_600_000
    const receivers = await Promise.all(lifeEndpoints.map(() => stage.addReceiver()))
    const { port } = await stage.addServer()
    // The lives are the same each time, so that a failure can be repeated.
    const random = seeded(9)
    const lives = Array.from({ length: short ? 100 : 1_000 }, () => randomLife(random))
    const arrivals = lives.flatMap((life) => arrivalsOf(life, random)).toSorted((a, b) => a.at - b.at)
    let next = 0
    for (const { at, change } of changesOf(random)) {
      const until = arrivals.findIndex((arrival) => arrival.at >= at)
      const before = arrivals.slice(next, until < 0 ? undefined : until)
      await playStory(stage, before, { port, receivers, began })
      next += before.length
      await change(pool, receivers, new Date(began + at))
    }
    await waitUntilFolded(stage.url, 60_000)
    await compareLog(stage, arrivals, { receivers, began })
    const received = new Map(
      [...Map.groupBy(arrivals, ({ life }) => life)].map(([life, of]) => [
        life,
        Math.max(...of.map(({ event }) => event)),
      ]),
    )
    return `${await compareStates(stage, received)}; ${arrivals.length} deliveries, none missing, none doubled`
  } finally {
    await pool.end()
    await stage.close()
  }
}

interface Story {
  readonly receivers: readonly TestReceiverAccount[]
  /** The time is in milliseconds since 1970. */
  readonly began: number
}

/** The table has the story's time for the next delivery of a body at a receiver. */
const STORY_TIME = `
  CREATE TABLE story_time (receiver_id uuid, digest bytea, at timestamptz(3), PRIMARY KEY (receiver_id, digest));
  CREATE FUNCTION put_story_time() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      SELECT at INTO STRICT NEW.received_at FROM story_time
      WHERE receiver_id = NEW.receiver_id AND digest = sha256(NEW.body);
      RETURN NEW;
    END $$;
  CREATE TRIGGER story_time BEFORE INSERT ON delivery FOR EACH ROW EXECUTE FUNCTION put_story_time()`

type Pool = ReturnType<typeof openPool>

interface Change {
  readonly at: number
  readonly change: (pool: Pool, receivers: readonly TestReceiverAccount[], now: Date) => Promise<unknown>
}

/** The list has what this dashboard does when endpoints change, and the watcher's checks nearest to each change. */
function changesOf(random: ReturnType<typeof seeded>): Change[] {
  const readAt = (at: number): Change => ({
    at,
    change: (pool, receivers, now) => {
      const active = receivers.filter(
        (_, index) => lifeEndpoints[index] && isActive(lifeEndpoints[index], at),
      )
      const seen = active.map(({ id }) => ({ receiverId: id, subscribedEvents: null }))
      return inTransaction(pool, (client) => recordReceiving(client, seen, now.getTime()))
    },
  })
  const changes = lifeEndpoints.flatMap(({ active, replaced }, index): Change[] =>
    active.flatMap(([from, until], time) => {
      const made = {
        at: from,
        change: (pool: Pool, all: readonly TestReceiverAccount[], now: Date) =>
          pool.query(MADE, [all[index]?.id, now]),
      }
      const closed = {
        at: until,
        change: (pool: Pool, all: readonly TestReceiverAccount[]) => pool.query(CLOSED, [all[index]?.id]),
      }
      return [
        ...(from > 0 && time === 0 ? [made] : []),
        ...(replaced && time === active.length - 1 ? [closed] : []),
        ...[from, until]
          .filter((at) => at > 0 && Number.isFinite(at))
          .flatMap((at) => {
            const seen = Math.round(at - random.between(1, 59_999))
            return [readAt(seen), readAt(seen + 60_000)]
          }),
      ]
    }),
  )
  const last: Change = { at: Number.MAX_SAFE_INTEGER, change: async () => undefined }
  return [readAt(0), ...changes, last].toSorted((a, b) => a.at - b.at)
}

/** `lib/endpoints` does the same when an endpoint is created here, and when it is deleted. */
const MADE = `INSERT INTO receiver_period (receiver_id, began_at, events, last_seen_at) VALUES ($1, $2, '{*}', $2)`
const CLOSED = `UPDATE receiver SET state = 'closed', updated_at = now() WHERE id = $1`

/** This many deliveries run at once; those of one life run one after the other. */
const atOnce = 60

async function playStory(
  stage: TestBed,
  arrivals: readonly LifeArrival[],
  story: Story & { readonly port: number },
) {
  for (let from = 0; from < arrivals.length; ) {
    // A body that comes twice to one receiver has two times.
    const keys = new Set<string>()
    const some = arrivals.slice(from, from + atOnce)
    const twice = some.findIndex(({ endpoint, body }) => keys.size === keys.add(`${endpoint} ${body}`).size)
    const now = twice < 0 ? some : some.slice(0, twice)
    from += now.length
    await stage.ask(TIMES, [
      now.map(({ endpoint }) => story.receivers[endpoint]?.id),
      now.map(({ body }) => crypto.hash('sha256', body, 'buffer')),
      now.map(({ at }) => new Date(story.began + at)),
    ])
    const ofLives = Map.groupBy(now, ({ life }) => life).values()
    await Promise.all(
      ofLives.map(async (ofLife) => {
        for (const arrival of ofLife) await post(arrival, story)
      }),
    )
  }
}

const TIMES = `
  INSERT INTO story_time SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::timestamptz[])
  ON CONFLICT (receiver_id, digest) DO UPDATE SET at = EXCLUDED.at`

async function post({ endpoint, body }: LifeArrival, { receivers, port }: Story & { readonly port: number }) {
  const { id, authorization = '' } = receivers[endpoint] ?? {}
  const answer = await fetch(`http://127.0.0.1:${port}/api/webhooks/${id}`, {
    method: 'POST',
    // An idle connection may be closed just as it is used again, and nothing here tries twice.
    headers: { authorization, connection: 'close' },
    body,
  })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`Answered ${answer.status}`)
}

/** Each delivery must be once in the log and once under an event, with all that is known about it. */
async function compareLog(stage: TestBed, arrivals: readonly LifeArrival[], { receivers, began }: Story) {
  await foldedContent(stage.url)
  const rows = await stage.ask<{ one: string }>(
    `SELECT receiver_id || ' ' || round(extract(epoch FROM received_at) * 1000) || ' ' || convert_from(body, 'UTF8') AS one FROM delivery`,
  )
  const sent = arrivals.map(({ endpoint, at, body }) => `${receivers[endpoint]?.id} ${began + at} ${body}`)
  const logged = rows.map(({ one }) => one).toSorted()
  if (JSON.stringify(logged) !== JSON.stringify(sent.toSorted()))
    throw new Error(`${sent.length} sent, ${logged.length} in the log, not the same`)
  const [unknown] = await stage.ask<{ count: string }>(
    'SELECT count(*) FROM event_delivery WHERE others IS NULL',
  )
  if (Number(unknown?.count) > 0) throw new Error(`Beside ${unknown?.count} deliveries nothing is known`)
}
