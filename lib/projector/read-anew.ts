import 'server-only'
import type pg from 'pg'
import type { DeliveryFact } from '#lib/domain/fold.ts'
import { subjectId } from '#lib/domain/subject.ts'
import { loadKnown } from './load-known.ts'
import type { KnownEvent, KnownFact, KnownSubject, NewFact } from './project-subject.ts'
import { type Reading, readDelivery } from './read-delivery.ts'

/** A subject as the log tells it; `known` holds only what the log no longer does. */
export interface AnewSubject {
  readonly known: KnownSubject
  readonly news: readonly NewFact[]
}

/**
 * Reads subjects for a rebuild, by subject id. What the log still holds is read from there, whatever the tables say
 * of it; of deliveries that retention dropped the tables are all there is.
 */
export async function readAnew(
  pool: pg.Pool,
  subjectIds: readonly string[],
): Promise<Map<string, AnewSubject>> {
  const anew = new Map<string, AnewSubject>()
  for (const [id, rows] of await loadKnown(pool, subjectIds)) {
    const logged = await readLogged(pool, [...rows.facts.keys()])
    const news = logged.filter(({ subject }) => subject === id).map(({ fact }) => fact)
    const facts = without(rows.facts, new Set(logged.map(({ fact }) => fact.fact.id)))
    anew.set(id, { known: { facts, events: keptBodies(rows.events, news), transactionKey: null }, news })
  }
  return anew
}

interface Logged {
  readonly subject: string
  readonly fact: NewFact
}

/** Deliveries of one statement: bodies may be large. */
const page = 200

/**
 * Those of these deliveries that the log holds, with the subject that their body names. One body for each fingerprint,
 * that of the first.
 */
async function readLogged(pool: pg.Pool, deliveryIds: readonly string[]): Promise<Logged[]> {
  const logged: { readonly subject: string; readonly fact: DeliveryFact }[] = []
  const firsts = new Map<
    string,
    { readonly order: bigint; readonly body: Buffer; readonly reading: Reading }
  >()
  for (let from = 0; from < deliveryIds.length; from += page) {
    const { rows } = await pool.query<LogRow>(LOGGED, [deliveryIds.slice(from, from + page)])
    for (const row of rows) {
      const { reading, subject } = readDelivery(row.body)
      const { fingerprint } = reading
      const first = firsts.get(fingerprint)
      if (!first || row.seq < first.order)
        firsts.set(fingerprint, { order: row.seq, body: row.body, reading })
      const fact: DeliveryFact = {
        id: row.id,
        order: row.seq,
        receivedAt: row.received_at.getTime(),
        receiver: row.receiver_id,
        fingerprint,
        answer: row.lost ? 'unsure' : 'sure',
      }
      logged.push({ subject: subjectId(subject), fact })
    }
  }
  return logged.flatMap(({ subject, fact }) => {
    const first = firsts.get(fact.fingerprint)
    return first ? { subject, fact: { fact, body: first.body, reading: first.reading } } : []
  })
}

interface LogRow {
  readonly id: string
  readonly seq: bigint
  readonly received_at: Date
  readonly receiver_id: string
  readonly body: Buffer
  readonly lost: boolean
}

function without(facts: ReadonlyMap<string, KnownFact>, ids: ReadonlySet<string>): Map<string, KnownFact> {
  return new Map([...facts].filter(([id]) => !ids.has(id)))
}

/** The bodies kept on events: those that say what they stand for, and those for which there is no other. */
function keptBodies(
  events: ReadonlyMap<string, KnownEvent>,
  news: readonly NewFact[],
): Map<string, KnownEvent> {
  const inLog = new Set(news.map(({ fact }) => fact.fingerprint))
  return new Map(
    [...events].filter(([, { body, reading }]) => {
      const { fingerprint } = reading
      return !inLog.has(fingerprint) || readDelivery(body).reading.fingerprint === fingerprint
    }),
  )
}

const LOGGED = `
  SELECT d.id, d.seq, d.received_at, d.receiver_id, d.body, lost.delivery_id IS NOT NULL AS lost
  FROM delivery d LEFT JOIN answer_lost lost ON lost.delivery_id = d.id
  WHERE d.id = ANY($1::uuid[])`
