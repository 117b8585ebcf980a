import 'server-only'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import type { CleanText } from '#lib/platform/rules/pasted-text.ts'
import { emailSpellings, exactEmail, toTerm } from './person-texts.ts'

/**
 * The users whom the directory knows by this e-mail address in either spelling of its host, the one who was there first at the beginning. Of several whose
 * addresses differ in case only, those with exactly this spelling; all where none has it.
 */
export async function findUsersByEmail(email: CleanText): Promise<readonly string[]> {
  const people = await prisma().person.findMany({
    where: { emailKey: { in: [...emailSpellings(email)] } },
    select: { userUuid: true, email: true },
    orderBy: [{ createdAt: 'asc' }, { userUuid: 'asc' }],
    take: 100,
  })
  const exact = people.filter((person) => exactEmail(person.email ?? '') === exactEmail(email))
  return (exact.length > 0 ? exact : people).map(({ userUuid }) => userUuid)
}

/** The one user among these; null when there are several, since nobody can tell who is meant. */
export async function findUserByEmail(email: CleanText): Promise<{ readonly userUuid: string } | null> {
  const [userUuid, another] = await findUsersByEmail(email)
  return userUuid && !another ? { userUuid } : null
}

/** Most people that one number is looked up for: a merchant may have given it to several users of the service. */
const most = 20

/** The users to whom the merchant gave this number, whatever its case and spaces. */
export async function findUsersByCustomerNumber(text: CleanText): Promise<string[]> {
  const term = toTerm(text)
  if (term === '') return []
  const { rows } = await pool().query<{ user_uuid: string }>(BY_NUMBER, [term, most])
  return rows.map((row) => row.user_uuid)
}

const BY_NUMBER = 'SELECT user_uuid FROM person WHERE customer_number_key = $1 ORDER BY user_uuid LIMIT $2'

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

/** The e-mail of each of these that the directory knows; what is no uuid is nobody there. */
export async function emailsOf(userUuids: Iterable<string | null>): Promise<ReadonlyMap<string, string>> {
  const asked = new Set([...userUuids].filter((given) => given !== null && isLowerCaseUuid(given)))
  if (asked.size === 0) return new Map()
  const { rows } = await pool().query<{ user_uuid: string; email: string }>({
    ...EMAILS,
    values: [[...asked]],
  })
  return new Map(rows.map((row) => [row.user_uuid, row.email]))
}

const EMAILS = planOnce(
  'SELECT user_uuid, email FROM person WHERE user_uuid = ANY($1::uuid[]) AND email IS NOT NULL',
)
