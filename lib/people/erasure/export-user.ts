import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { mentionsIn } from '#lib/deliveries/rules/erase-envelope.ts'
import { personTerms, type TermSource, termSources } from '#lib/identity/users/person-texts.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { findLinks } from '#lib/search/search-link.ts'
import { isAbout } from '#lib/timeline/projector/erased-people.ts'
import { isSearchFor } from './is-search-for.ts'
import { collectValues, holdsValue, type PersonValues, parametersOf, toValue } from './person-values.ts'
import { type LoggedBody, readKept, readLogged } from './read-bodies.ts'
import { type Part, parts } from './tables.ts'

export const ExportUserSchema = z.object({ userUuid: uuidField('This is not a uuid.'), reason: ReasonSchema })

/** Allows this session to fetch all that is held of a person, for a minute. Throws `NotAllowed` and `SignInAgain`. */
export async function allowExport(
  caller: Caller,
  { userUuid, reason }: z.output<typeof ExportUserSchema>,
  source: CallSource,
): Promise<{ readonly ticket: string }> {
  requirePermission(caller, 'manage-people')
  requireFreshSignIn(caller)
  const entry = { action: 'user.export', target: userUuid } as const
  const what = 'all that is held of one user'
  return { ticket: await giveTicket(caller, { file: fileOf(userUuid), what, entry, reason }, source) }
}

/** All that is held of a person, as JSON, for a session that was just allowed to fetch it. Throws `NotAllowed`. */
export function exportUser(caller: Caller, userUuid: string, ticket: string): AsyncGenerator<string> {
  requirePermission(caller, 'manage-people')
  requireTicket(caller, fileOf(userUuid), ticket)
  return userData(pool(), userUuid)
}

const fileOf = (userUuid: string) => `user ${userUuid}`

/**
 * All that is held of a person, as JSON, piece by piece: none of it is held as a whole. The whole log is gone through; empty
 * pieces say that it goes on. The caller has checked access.
 */
export async function* userData(database: pg.Pool, userUuid: string): AsyncGenerator<string> {
  yield '{\n'
  yield `  "userUuid": ${JSON.stringify(userUuid)}`
  const { terms, ...person } = await readPerson(database, userUuid)
  const parameters = parametersOf(userUuid, person)
  for (const part of parts) yield* toJson(part.name, rowsOf(database, part, parameters[part.of]))
  yield* toJson('namedElsewhere', findMentions(database, userUuid, person))
  yield* toJson(
    'searches',
    findLinks(database, ({ text, madeBy }) => madeBy === userUuid || isSearchFor(text, { ...person, terms })),
  )
  yield '\n}\n'
}

async function* toJson(name: string, pages: AsyncGenerator<readonly unknown[]>): AsyncGenerator<string> {
  yield `,\n  ${JSON.stringify(name)}: [`
  let separator = '\n    '
  for await (const rows of pages) {
    yield ' '
    for (const row of rows) {
      yield `${separator}${JSON.stringify(row)}`
      separator = ',\n    '
    }
  }
  yield separator === '\n    ' ? ']' : '\n  ]'
}

/** What the person is found by: in the directory, and in the bodies about them. */
async function readPerson(database: pg.Pool, userUuid: string) {
  const { rows } = await database.query<TermSource>(PERSON, [userUuid])
  const [person] = rows
  const found = { userUuid, values: new Set([userUuid]), exact: new Set<string>() }
  const wallet = toValue(person?.target_address)
  if (wallet !== null) found.values.add(wallet)
  await collectValues(database, found, [], person?.email)
  let after = ''
  for (let more = true; more; ) {
    const { rows: page } = await database.query<{ id: string; body: Buffer | null }>(BODIES, [
      userUuid,
      after,
      pageSize,
    ])
    await collectValues(
      database,
      found,
      page.flatMap(({ body }) => body ?? []),
    )
    after = page.at(-1)?.id ?? ''
    more = page.length === pageSize
  }
  return { ...found, terms: person ? personTerms(person) : [] }
}

/** Rows of one page; `key` says where the next begins. */
const pageSize = 200

async function* rowsOf(
  database: pg.Pool,
  { sql, paged }: Part,
  parameters: readonly unknown[],
): AsyncGenerator<readonly unknown[]> {
  let after = ''
  for (;;) {
    const values = paged ? [...parameters, after, pageSize] : [...parameters]
    const { rows } = await database.query<{ key: string; row: unknown }>(sql, values)
    yield rows.map(({ row }) => row)
    after = rows.at(-1)?.key ?? ''
    if (!paged || rows.length < pageSize) return
  }
}

const PERSON = `SELECT ${termSources} FROM person WHERE user_uuid = $1`

const BODIES = `
  SELECT id, event_body(id, envelope) AS body FROM event
  WHERE entity_uuid = $1 AND id > COALESCE(NULLIF($2, ''), '00000000-0000-0000-0000-000000000000')::uuid
  ORDER BY id LIMIT $3`

/** What a body says of a person that is not given with their events. */
type Mention =
  /** About the person, but not folded: it waits, or could not be. */
  | { readonly delivery: string; readonly body: string }
  /** About somebody else, or nobody: the texts alone that are the person's, and where they stand. */
  | { readonly delivery: string; readonly named: readonly { readonly at: string; readonly text: string }[] }

/**
 * What the whole log, and the bodies that outlived it, say of a person beside their own events: page by page, empty where a
 * page says nothing, so that whoever waits sees that it goes on.
 */
async function* findMentions(
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
