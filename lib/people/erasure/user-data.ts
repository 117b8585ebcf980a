import 'server-only'
import type pg from 'pg'
import { personTerms, type TermSource, termSources } from '#lib/identity/users/person-texts.ts'
import { findLinks } from '#lib/search/search-link.ts'
import { collectValues } from './collect-values.ts'
import { findMentions } from './find-mentions.ts'
import { isSearchFor } from './is-search-for.ts'
import { toValue } from './person-values.ts'
import { parametersOf } from './statement-parameters.ts'
import { type Part, parts } from './tables.ts'

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
