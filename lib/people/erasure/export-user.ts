import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { mentionsIn } from '#lib/deliveries/rules/erase-envelope.ts'
import {
  personTerms,
  spelledTerms,
  type TermSource,
  termSources,
  withDot,
} from '#lib/identity/users/person-texts.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { bodyOf } from '#lib/platform/db/statements.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { mostLines, readLines, writtenLines } from '#lib/search/rules/read-lines.ts'
import { readQuery } from '#lib/search/rules/read-query.ts'
import { findLinks, type LinkPerson } from '#lib/search/search-link.ts'
import { isAbout } from '#lib/timeline/projector/erased-people.ts'
import type { RunningErasure } from './erasure-store.ts'
import { findTexts } from './find-texts.ts'
import {
  collectValues,
  holdsValue,
  lettersOf,
  type PersonValues,
  parametersOf,
  toValue,
} from './person-values.ts'
import { type Part, parts } from './tables.ts'

export const ExportUserSchema = z.object({ userUuid: uuidField('This is not a uuid.'), reason: ReasonSchema })

/** The session may fetch all data of a person for one minute. Throws `NotAllowed` and `SignInAgain`. */
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

/** The JSON has all data of a person. The session must have been allowed to fetch it. Throws `NotAllowed`. */
export function exportUser(caller: Caller, userUuid: string, ticket: string): AsyncGenerator<string> {
  requirePermission(caller, 'manage-people')
  requireTicket(caller, fileOf(userUuid), ticket)
  return userData(pool(), userUuid)
}

const fileOf = (userUuid: string) => `user ${userUuid}`

/**
 * The JSON has all data of a person, in pieces, so it is never in memory as a whole. The whole log is read; empty
 * pieces show that the export goes on. The caller has checked access.
 */
export async function* userData(database: pg.Pool, userUuid: string): AsyncGenerator<string> {
  yield '{\n'
  yield `  "userUuid": ${JSON.stringify(userUuid)}`
  const { terms, ...person } = await readPerson(database, userUuid)
  const parameters = parametersOf(userUuid, person, await findTexts(database, person))
  for (const part of parts) yield* toJson(part.name, rowsOf(database, part, parameters[part.of]))
  yield* toJson('namedElsewhere', findMentions(database, userUuid, person))
  yield* toJson('searches', findLinks(database, linkPersonOf({ ...person, terms })))
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

/** These values and terms find the person: in the directory, and in bodies. */
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

/** A page has this many rows; `key` is where the next page begins. */
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
  WITH kept AS MATERIALIZED (
    SELECT id, envelope FROM event
    WHERE entity_uuid = $1 AND id > COALESCE(NULLIF($2, ''), '00000000-0000-0000-0000-000000000000')::uuid
    ORDER BY id LIMIT $3
  ) SELECT id, ${bodyOf('kept')} AS body FROM kept ORDER BY id`

/** A body mentions the person and is not exported with their events. */
type Mention =
  /** The body is about the person and is not folded: it waits, or is a dead letter. */
  | { readonly delivery: string; readonly body: string }
  /** The body is about somebody else, or nobody. Only the person's texts come from it, with their paths. */
  | { readonly delivery: string; readonly named: readonly { readonly at: string; readonly text: string }[] }

/**
 * The whole log, and the bodies that outlived it, are searched for mentions of a person outside their own events.
 * Empty pages show that the search goes on.
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
  const named = mentionsIn(parsed.envelope, isTheirs)
  return named.length === 0 ? null : { delivery: id, named }
}

/** The events of these deliveries are the person's, so they are exported with them. */
async function foldedOf(pool: pg.Pool, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await pool.query<{ id: string }>(FOLDED, [ids])
  return new Set(rows.map(({ id }) => id))
}

const FOLDED = `
  SELECT delivery_id AS id FROM event_delivery JOIN event ON event.subject_id = event_delivery.subject_id AND event.id = event_id
  WHERE delivery_id = ANY($1::uuid[]) AND entity_uuid IS NOT NULL
  UNION SELECT id FROM event WHERE id = ANY($1::uuid[]) AND entity_uuid IS NOT NULL`

type SearchedPerson = Pick<RunningErasure, 'userUuid' | 'values' | 'exact' | 'terms'>

/** An erasure treats every link that an export gives. */
export const linkPersonOf = (person: SearchedPerson): LinkPerson => ({
  userUuid: person.userUuid,
  isNamedBy: (text) => isSearchFor(text, person),
})

/** A shorter part matches too many people to name one. */
const shortest = 6

/**
 * A searched text names this person when it holds one of their values, or when any line that a search looks at, or any of the
 * things in its line, cleaned as for a search, does, or is a part that finds one. It matches too much rather than too little:
 * anybody can repeat a search whose old link is gone.
 */
const isSearchFor = (text: string, person: SearchedPerson): boolean =>
  [text, ...writtenLines(text).slice(0, mostLines), ...(readLines(cleanText(text))?.lines ?? [])].some(
    (line) => holdsValue(person, line) || isLineFor(cleanText(line), person),
  )

function isLineFor(text: CleanText, { values, terms }: SearchedPerson): boolean {
  const compact = text.toLowerCase().replace(/\s+/g, '')
  const letters = lettersOf(compact)
  const { probes, name, email, customerNumber, accountNumber } = readQuery(text)
  const parts = [{ prefix: compact, suffix: null }, { prefix: null, suffix: compact }, ...probes].filter(
    ({ prefix, suffix }) => (prefix ?? '').length + (suffix ?? '').length >= shortest,
  )
  const said = [text, name, email, customerNumber, accountNumber].flatMap((one) =>
    withDot(one ?? '').flatMap(spelledTerms),
  )
  return (
    [...values].some(
      (value) =>
        (!value.includes('@') && holdsLetters(letters, lettersOf(value))) ||
        parts.some(({ prefix, suffix }) => value.startsWith(prefix ?? '') && value.endsWith(suffix ?? '')),
    ) ||
    terms.some((one) =>
      said.some((term) => one === term || (term.length >= shortest && one.startsWith(term))),
    )
  )
}

/** A number is not found within a longer one. */
const holdsLetters = (letters: string, wanted: string) =>
  wanted.length >= shortest && new RegExp(`(?<!\\d)${wanted}(?!\\d)`).test(letters)

/** A page reads at most this many bodies or events. */
const bodiesOfPage = 500
const eventsOfPage = 5_000

/** A page of bodies. */
interface BodyPage<Row> {
  readonly rows: readonly Row[]
  /** The next page begins after this position. */
  readonly position: string
  /**
   * `finished`: this was everything at the time of reading. Projectors erase what arrives meanwhile, and waiting
   * until nothing arrives would never end.
   */
  readonly finished: boolean
}

/** The log holds this body. */
interface LoggedBody {
  readonly id: string
  readonly body: Buffer
}

/** The next bodies of the log come, at most 8 MB together when they are more than one. */
export async function readLogged(
  database: pg.Pool | pg.ClientBase,
  position: string,
): Promise<BodyPage<LoggedBody>> {
  const { rows } = await database.query<LoggedBody & { page: number }>(LOGGED, [
    position === '' ? lowestId : position,
    bodiesOfPage,
  ])
  const page = rows[0]?.page ?? 0
  const finished = rows.length === page && page < bodiesOfPage
  return { rows, position: rows.at(-1)?.id ?? position, finished }
}

/** The event kept this body after the log lost it. */
interface KeptBody extends LoggedBody {
  readonly subjectId: string
}

/** The next events give the bodies that they keep. */
export async function readKept(
  database: pg.Pool | pg.ClientBase,
  position: string,
): Promise<BodyPage<KeptBody>> {
  const { rows } = await database.query<KeptRow>(KEPT, [position === '' ? lowestId : position, eventsOfPage])
  const { last = null, page = 0, kept = [] } = rows[0] ?? {}
  return {
    rows: (kept ?? []).map(({ id, subject_id, body }) => ({
      id,
      subjectId: subject_id,
      body: Buffer.from(body, 'base64'),
    })),
    position: last ?? position,
    finished: page < eventsOfPage,
  }
}

interface KeptRow {
  readonly last: string | null
  readonly page: number
  readonly kept: readonly { readonly id: string; readonly subject_id: string; readonly body: string }[] | null
}

const lowestId = '00000000-0000-0000-0000-000000000000'

const LOGGED = `
  SELECT id, body, page FROM (
    SELECT id, body, count(*) OVER ()::int AS page, sum(octet_length(body)) OVER (ORDER BY id) AS bytes
    FROM (SELECT id, body FROM delivery WHERE id > $1::uuid ORDER BY id LIMIT $2) AS page
  ) AS looked WHERE bytes <= 8388608 OR bytes = octet_length(body) ORDER BY id`

const KEPT = `
  WITH page AS MATERIALIZED (
    SELECT subject_id, id FROM event WHERE id > $1::uuid ORDER BY id LIMIT $2
  )
  SELECT (SELECT max(id::text) FROM page) AS last, (SELECT count(*)::int FROM page) AS page,
         (SELECT json_agg(json_build_object('id', id, 'subject_id', subject_id, 'body', encode(envelope, 'base64')))
          FROM event JOIN page USING (subject_id, id) WHERE envelope IS NOT NULL) AS kept`
