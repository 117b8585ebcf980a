import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { type Envelope, parseEnvelope, type WhyUnreadable } from '#lib/deliveries/rules/envelope.ts'
import { identifiersOf } from '#lib/deliveries/rules/identifier.ts'
import { canonicalJson } from '#lib/deliveries/rules/json.ts'
import { type Subject, subjectOf } from '#lib/deliveries/rules/subject.ts'
import { summaryOf } from '#lib/deliveries/rules/summary.ts'
import { bodyOf } from '#lib/platform/db/statements.ts'

/** A reading holds the content of a body without the body, which stays in the log. */
export interface BodyReading {
  /** The fingerprint is the hex SHA-256 of the envelope as canonical JSON, or of the bytes when they are no JSON. */
  readonly fingerprint: string
  /** The envelope is a summary, see `summaryOf`. */
  readonly envelope: Envelope | null
  readonly unreadable: WhyUnreadable | null
  /** These known ids are in the body. */
  readonly identifiers: readonly string[]
}

/** Any body is read; none is refused. §2.4 */
export function readDelivery(body: Uint8Array): { readonly reading: BodyReading; readonly subject: Subject } {
  const parsed = parseEnvelope(body)
  const envelope = parsed.kind === 'envelope' ? parsed.envelope : null
  const fingerprint = crypto.hash('sha256', envelope ? canonicalJson(envelope.fields) : body)
  const reading: BodyReading = {
    fingerprint,
    envelope: envelope && summaryOf(envelope),
    unreadable: parsed.kind === 'unreadable' ? parsed.why : null,
    identifiers: identifiersIn(envelope),
  }
  return { reading, subject: subjectOf(envelope, fingerprint) }
}

/** The fingerprint of the body is known already. */
export function readKnownBody(body: Uint8Array, fingerprint: string): BodyReading {
  const parsed = parseEnvelope(body)
  if (parsed.kind === 'unreadable')
    return { fingerprint, envelope: null, unreadable: parsed.why, identifiers: [] }
  const { envelope } = parsed
  return {
    fingerprint,
    envelope: summaryOf(envelope),
    unreadable: null,
    identifiers: identifiersIn(envelope),
  }
}

/** The ids are copied, because a slice would keep the whole body in memory. */
const identifiersIn = (envelope: Envelope | null) =>
  envelope ? identifiersOf(envelope).map((value) => ` ${value}`.slice(1)) : []

interface Keyed {
  readonly subject_id: string
  readonly id: string
}

/** The bodies of events come one after the other, however large they are together. */
export async function* bodiesOf<Row extends Keyed>(
  database: pg.Pool | pg.ClientBase,
  events: readonly Row[],
): AsyncGenerator<{ readonly row: Row; readonly body: Buffer }> {
  for (let from = 0; from < events.length; ) {
    const page = events.slice(from, from + most)
    const { rows } = await database.query<{ n: number; body: Buffer }>(BODIES, [
      page.map(({ subject_id }) => subject_id),
      page.map(({ id }) => id),
    ])
    for (const { n, body } of rows) {
      const row = page[n - 1]
      if (row) yield { row, body }
    }
    from += rows.at(-1)?.n ?? page.length
  }
}

/** One statement reads this many bodies and bytes; one body alone may have more. */
const most = 200
const mostBytes = 8 * 1024 * 1024

const BODIES = `
  WITH kept AS MATERIALIZED (
    SELECT n, event.id, envelope
    FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS wanted (subject_id, id, n) JOIN event USING (subject_id, id)
  ), known AS MATERIALIZED (SELECT n, ${bodyOf('kept')} AS body FROM kept)
  SELECT n::int, body FROM (
    SELECT n, body, sum(octet_length(body)) OVER (ORDER BY n) AS bytes FROM known WHERE body IS NOT NULL
  ) AS found
  WHERE bytes = octet_length(body) OR bytes <= ${mostBytes} ORDER BY n`

/** Only an erasure replaces bodies in the log, by delivery id. */
export async function overwriteBodies(
  database: pg.Pool | pg.ClientBase,
  bodies: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  if (bodies.size > 0) await database.query(OVERWRITE, [[...bodies.keys()], [...bodies.values()]])
}

const OVERWRITE = `
  UPDATE delivery SET body = given.body FROM unnest($1::uuid[], $2::bytea[]) AS given (id, body)
  WHERE delivery.id = given.id`
