import 'server-only'
import type pg from 'pg'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { mentionsIn } from '#lib/deliveries/rules/erase-envelope.ts'
import { isAbout } from '#lib/timeline/projector/erased-people.ts'
import { holdsValue, type PersonValues } from './person-values.ts'
import { type LoggedBody, readKept, readLogged } from './read-bodies.ts'

/** What a body says of a person that is not given with their events. */
export type Mention =
  /** About the person, but not folded: it waits, or could not be. */
  | { readonly delivery: string; readonly body: string }
  /** About somebody else, or nobody: the texts alone that are the person's, and where they stand. */
  | { readonly delivery: string; readonly named: readonly { readonly at: string; readonly text: string }[] }

/**
 * What the whole log, and the bodies that outlived it, say of a person beside their own events: page by page, empty where a
 * page says nothing, so that whoever waits sees that it goes on.
 */
export async function* findMentions(
  pool: pg.Pool,
  userUuid: string,
  values: PersonValues,
): AsyncGenerator<readonly Mention[]> {
  for (const read of [readLogged, readKept])
    for (let position = '', finished = false; !finished; ) {
      const page = await read(pool, position)
      const found = page.rows.flatMap((stored) => mentionIn(stored, userUuid, values) ?? [])
      const folded = await foldedOf(
        pool,
        found.filter((mention) => 'body' in mention).map(({ delivery }) => delivery),
      )
      yield found.filter((mention) => !('body' in mention) || !folded.has(mention.delivery))
      position = page.position
      finished = page.finished
    }
}

function mentionIn({ id, body }: LoggedBody, userUuid: string, values: PersonValues): Mention | null {
  const isTheirs = (text: string) => holdsValue(values, text)
  const parsed = parseEnvelope(body)
  if (parsed.kind === 'unreadable') {
    const text = body.toString('utf8')
    return isTheirs(text) ? { delivery: id, body: text } : null
  }
  if (isAbout(parsed.envelope, userUuid)) return { delivery: id, body: body.toString('utf8') }
  const named = mentionsIn(parsed.envelope.fields, isTheirs)
  return named.length === 0 ? null : { delivery: id, named }
}

/** Those whose event is the person's, and so is given with it. */
async function foldedOf(pool: pg.Pool, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await pool.query<{ id: string }>(FOLDED, [ids])
  return new Set(rows.map(({ id }) => id))
}

const FOLDED = `
  SELECT delivery_id AS id FROM event_delivery JOIN event ON event.subject_id = event_delivery.subject_id AND event.id = event_id
  WHERE delivery_id = ANY($1::uuid[]) AND entity_uuid IS NOT NULL
  UNION SELECT id FROM event WHERE id = ANY($1::uuid[]) AND entity_uuid IS NOT NULL`
