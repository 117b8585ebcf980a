import 'server-only'
import { pool } from '#lib/platform/db/pool.ts'
import type { CleanText } from '#lib/platform/rules/pasted-text.ts'
import { toTerm } from './person-terms.ts'

/** The last character there is: what begins with a text lies between it and the text followed by this (`COLLATE "C"`). */
const last = '\u{10ffff}'

/**
 * The users who are found by a text, at most `most` of them.
 * @param how `beginning`: of a name, an e-mail, a number, a wallet or a uuid; `whole` for roles that see people masked
 */
export async function findUsersByTerm(
  text: CleanText,
  how: 'beginning' | 'whole',
  most: number,
): Promise<string[]> {
  const term = toTerm(text)
  if (term === '') return []
  const { rows } = await pool().query<{ user_uuid: string }>(BY_TERM, [
    term,
    how === 'beginning' ? `${term}${last}` : term,
    most * termsEach,
  ])
  return [...new Set(rows.map((row) => row.user_uuid))].slice(0, most)
}

/** A person may be found by several terms that begin alike. */
const termsEach = 4

const BY_TERM =
  'SELECT user_uuid FROM person_term WHERE term >= $1 AND term <= $2 ORDER BY term, user_uuid LIMIT $3'
