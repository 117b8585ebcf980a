import 'server-only'
import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import type { Caller } from '#lib/access/caller.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { Key } from '#lib/platform/env.ts'
import { isToBeMoved, writingKey } from '#lib/platform/keys/agree-on-keys.ts'
import { keyedDigest, seal, unseal } from '#lib/platform/keys/digests-and-seals.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'

/** A link works only in the place where it was made, because each place masks texts in its own way. */
export type SearchPlace = 'subjects' | 'people'

/** The link opens nothing: null when it is unknown or its key was removed; `erased` when it named an erased person. */
export type DeadLink = 'erased' | null

/** The same text always gets the same id. The text itself is encrypted beside it. */
export async function linkTo({ id: madeBy }: Caller, place: SearchPlace, text: string): Promise<string> {
  const digest = keyedDigest(purposes[place], text)
  const id = uuidv7()
  const { bytes, keyId } = seal(text, id, writingKey())
  const { rows } = await pool().query<Pick<LinkRow, 'id' | 'key_id'>>(ENTER, [
    id,
    digest,
    bytes,
    keyId,
    madeBy,
    place,
  ])
  const [kept] = rows
  if (kept) await sealAnew(kept, text)
  return kept?.id ?? id
}

/**
 * A key may leave `RAMPART_KEYS` later, so a text that is used again is encrypted with the current key, like
 * the digests of secrets.
 */
async function sealAnew({ id, key_id: old }: Pick<LinkRow, 'id' | 'key_id'>, text: string): Promise<void> {
  if (old === null || !isToBeMoved(old)) return
  const { bytes, keyId } = seal(text, id, writingKey())
  await pool().query('UPDATE search_link SET sealed = $2, key_id = $3 WHERE id = $1 AND key_id = $4', [
    id,
    bytes,
    keyId,
    old,
  ])
}

const purposes = {
  subjects: 'search link',
  people: 'search link to people',
} as const satisfies Record<SearchPlace, string>

/** A conflict changes nothing, but returns the existing id. */
const ENTER = `
  INSERT INTO search_link AS known (id, digest, sealed, key_id, made_by, place) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (digest) DO UPDATE SET digest = known.digest RETURNING id, key_id`

/** The link gives its text and the person who made it. */
export async function readLink(
  place: SearchPlace,
  id: string,
): Promise<{ readonly text: string; readonly madeBy: string } | DeadLink> {
  if (!isUuid(id)) return null
  const { rows } = await pool().query<LinkRow>(`${LINKS} WHERE id = $1 AND place = $2`, [id, place])
  const [row] = rows
  if (!row) return null
  if (!row.sealed) return 'erased'
  const text = textOf(row)
  if (text === null) return null
  await sealAnew(row, text)
  return { text, madeBy: row.made_by }
}

/** One step reads this many links. */
const linksOfStep = 1_000

/** Links are read for this person. */
export interface LinkPerson {
  readonly userUuid: string
  readonly isNamedBy: (text: string) => boolean
}

/** The process answers others whenever links of this length were read. A link counts as at least a tenth of it. */
const lengthOfTurn = 2_000

/**
 * A link concerns a person who made it, and a person whom its text names. A text that no key opens may name anybody: the
 * key may come back.
 */
async function readFor(rows: readonly LinkRow[], { userUuid, isNamedBy }: LinkPerson) {
  const read: (LinkRow & { text: string | null; isMaker: boolean; isNamed: boolean })[] = []
  let length = 0
  for (const row of rows) {
    const text = textOf(row)
    const isNamed = text === null ? row.sealed !== null : isNamedBy(text)
    read.push({ ...row, text, isMaker: row.made_by === userUuid, isNamed })
    length += Math.max(text?.length ?? 0, lengthOfTurn / 10)
    if (length < lengthOfTurn) continue
    length = 0
    await setImmediate()
  }
  return read
}

/**
 * The texts of the next links are erased if they name the person. Other links that the person made go on working for
 * colleagues, but no longer say who made them. `after` is the last link that was read; empty to begin. The result is the
 * last link read; null when there are no more.
 */
export async function eraseLinks(tx: Transaction, after: string, person: LinkPerson): Promise<string | null> {
  const { rows } = await tx.query<LinkRow>(PAGE, [after, linksOfStep])
  const read = await readFor(rows, person)
  const named = read.filter(({ isNamed }) => isNamed).map(({ id }) => id)
  const made = read.filter(({ isMaker }) => isMaker).map(({ id }) => id)
  if (named.length > 0) await tx.query(ERASE, [named])
  if (made.length > 0) await tx.query(ERASE_MAKER, [made])
  return rows.length < linksOfStep ? null : (rows.at(-1)?.id ?? null)
}

/** The searches of links that concern the person are returned page by page. The caller has checked access. */
export async function* findLinks(
  database: pg.Pool,
  person: LinkPerson,
): AsyncGenerator<readonly { readonly at: Date; readonly text: string }[]> {
  for (let after: string | null = ''; after !== null; ) {
    const { rows }: { rows: LinkRow[] } = await database.query<LinkRow>(PAGE, [after, linksOfStep])
    const read = await readFor(rows, person)
    yield read.flatMap(({ made_at: at, text, isMaker, isNamed }) =>
      text !== null && (isMaker || isNamed) ? [{ at, text }] : [],
    )
    after = rows.length < linksOfStep ? null : (rows.at(-1)?.id ?? null)
  }
}

interface LinkRow {
  readonly id: string
  readonly sealed: Uint8Array<ArrayBuffer> | null
  readonly key_id: string | null
  readonly made_by: string
  readonly made_at: Date
}

/**
 * Texts under other keys are encrypted with this one. The result is the number of links; a text that none of
 * these keys opens stays unchanged.
 */
export async function moveLinks(database: pg.Pool, keys: readonly Key[], to: Key): Promise<number> {
  let moved = 0
  for (let after: string | null = ''; after !== null; ) {
    const { rows }: { rows: LinkRow[] } = await database.query<LinkRow>(PAGE, [after, linksOfStep])
    const older = rows.filter(({ key_id: keyId }) => keyId !== null && keyId !== to.id)
    const sealed = older.flatMap((row) => {
      const text = textOf(row, keys)
      return text === null ? [] : [{ id: row.id, old: row.key_id, bytes: seal(text, row.id, to).bytes }]
    })
    const columns = [
      sealed.map(({ id }) => id),
      sealed.map(({ old }) => old),
      sealed.map(({ bytes }) => bytes),
    ]
    moved += (await database.query(MOVE, [...columns, to.id])).rowCount ?? 0
    after = rows.length < linksOfStep ? null : (rows.at(-1)?.id ?? null)
  }
  return moved
}

export async function countLinksByKey(database: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await database.query<{ key_id: string; count: number }>(
    'SELECT key_id, count(*)::int AS count FROM search_link WHERE key_id IS NOT NULL GROUP BY key_id',
  )
  return new Map(rows.map(({ key_id: keyId, count }) => [keyId, count]))
}

/** Null when the text was erased, or its key was removed, so that nobody can read it. */
const textOf = ({ id, sealed, key_id: keyId }: LinkRow, keys?: readonly Key[]): string | null =>
  sealed && keyId !== null ? unseal({ bytes: sealed, keyId }, id, keys) : null

const LINKS = 'SELECT id, sealed, key_id, made_by, made_at FROM search_link'

const PAGE = `${LINKS} WHERE $1 = '' OR id > NULLIF($1, '')::uuid ORDER BY id LIMIT $2`

const MOVE = `
  UPDATE search_link SET sealed = given.sealed, key_id = $4
  FROM unnest($1::uuid[], $2::text[], $3::bytea[]) AS given (id, old, sealed)
  WHERE search_link.id = given.id AND search_link.key_id = given.old`

const ERASE = 'UPDATE search_link SET sealed = NULL, key_id = NULL, digest = NULL WHERE id = ANY($1::uuid[])'

const ERASE_MAKER = `UPDATE search_link SET made_by = 'erased' WHERE id = ANY($1::uuid[])`
