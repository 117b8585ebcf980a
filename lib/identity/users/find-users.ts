import 'server-only'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import type { CleanText } from '#lib/platform/rules/pasted-text.ts'
import { emailSpellings, exactEmail, toTerm } from './person-texts.ts'

/**
 * The directory knows these users by this e-mail address, in either spelling of its host; the oldest comes
 * first. When addresses differ only in case, only this spelling counts; all when none has it.
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

/** Only one user matches; null when there are several, because nobody can tell who is meant. */
export async function findUserByEmail(email: CleanText): Promise<{ readonly userUuid: string } | null> {
  const [userUuid, another] = await findUsersByEmail(email)
  return userUuid && !another ? { userUuid } : null
}

/** One number is looked up for this many people: a merchant may have given it to several users of the service. */
const most = 20

/** The merchant gave this number to these users; case and spaces do not matter. */
export async function findUsersByCustomerNumber(text: CleanText): Promise<string[]> {
  const term = toTerm(text)
  if (term === '') return []
  const { rows } = await pool().query<{ user_uuid: string }>(BY_NUMBER, [term, most])
  return rows.map((row) => row.user_uuid)
}

const BY_NUMBER = 'SELECT user_uuid FROM person WHERE customer_number_key = $1 ORDER BY user_uuid LIMIT $2'

/** A text that begins with another sorts between it and it followed by this last character (`COLLATE "C"`). */
const last = '\u{10ffff}'

/**
 * The text finds at most `most` users. `beginning`: it begins a name, an e-mail address, a number, a wallet or
 * a uuid; `whole` is for roles that see people masked.
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

/** Each user in the directory gets their e-mail address; an id that is no uuid belongs to nobody there. */
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
