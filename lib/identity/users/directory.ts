import 'server-only'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { changeChannel, changePayloads } from '#lib/platform/change-notification.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import type { CleanText } from '#lib/platform/rules/pasted-text.ts'
import { shareErasureLock } from './erasure-lock.ts'
import {
  emailKey,
  emailSpellings,
  exactEmail,
  isErased,
  personTerms,
  spelledTerms,
  type TermSource,
  termSources,
  toTerm,
} from './person-texts.ts'

/**
 * The directory knows these users by this e-mail address, in either spelling of its host; the oldest comes
 * first. When addresses differ only in case, only this spelling counts; all when none has it.
 */
export async function findUsersByEmail(email: CleanText): Promise<readonly string[]> {
  const { rows } = await pool().query<{ user_uuid: string; email: string | null }>(BY_EMAIL, [
    [...emailSpellings(email)],
  ])
  const exact = rows.filter((row) => exactEmail(row.email ?? '') === exactEmail(email))
  return (exact.length > 0 ? exact : rows).map((row) => row.user_uuid)
}

const BY_EMAIL =
  'SELECT user_uuid, email FROM person WHERE email_key = ANY($1) ORDER BY created_at, user_uuid LIMIT 100'

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
  const found = await Promise.all(
    spelledTerms(text).map((term) =>
      pool().query<{ user_uuid: string }>(BY_TERM, [
        term,
        how === 'beginning' ? `${term}${last}` : term,
        most * termsEach,
      ]),
    ),
  )
  return [...new Set(found.flatMap(({ rows }) => rows.map((row) => row.user_uuid)))].slice(0, most)
}

/** A person may be found by several terms that begin alike, in two spellings. */
const termsEach = 8

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

/** `KnownUser` is what the service said about a user; null when it said nothing. */
export interface KnownUser {
  readonly userUuid: string
  readonly email: string | null
  readonly targetAddress: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly country: string | null
  readonly status: string | null
  /** The service links these companies to the user; missing when nobody asked. */
  readonly linkedCorporates?: readonly string[] | undefined
}

/** A user became known in this way. `added`: by a member of the team, here. */
type UserSource = 'sign-up' | 'sign-in' | 'admin' | 'delivery' | 'import' | 'added' | 'demo'

/**
 * The directory gets the user or the new data, and open pages are notified of changes. Data that the service left out stays;
 * `updated_at` says when the service last gave a status. An erased person is not entered again. `customerNumber` null leaves
 * the number as it is.
 */
export async function saveToDirectory(
  tx: Transaction,
  user: KnownUser,
  source: UserSource,
  customerNumber: string | null = null,
): Promise<void> {
  const { userUuid, email, targetAddress, firstName, lastName, country, status, linkedCorporates } = user
  const key = email === null ? null : emailKey(email)
  await shareErasureLock(tx, userUuid)
  // An address belongs to the user whom the service named last. An address in another case is another person's.
  if (key !== null) await tx.query(GIVE_UP_ADDRESS, [key, userUuid, email])
  const known = [email, key, targetAddress, firstName, lastName, country, status]
  const { rows } = await tx.query<TermSource & { changed: boolean }>(ENTER, [
    userUuid,
    source,
    ...known,
    linkedCorporates ?? null,
    customerNumber,
    customerNumber && toTerm(customerNumber),
  ])
  if (rows[0]) await writeTerms(tx, rows[0])
  if (rows[0]?.changed) await announce(tx, userUuid)
}

/** The person gets the merchant's own number, or loses it; false when the directory does not know them. */
export async function saveCustomerNumber(
  tx: Transaction,
  userUuid: string,
  customerNumber: string | null,
): Promise<boolean> {
  const { rows } = await tx.query<TermSource>(NUMBER, [
    userUuid,
    customerNumber,
    customerNumber && toTerm(customerNumber),
  ])
  if (!rows[0]) return false
  await writeTerms(tx, rows[0])
  await announce(tx, userUuid)
  return true
}

/** Only changes are announced: a person's open page reads the service again with each change, which comes through here. */
async function announce(tx: Transaction, userUuid: string): Promise<void> {
  const id = userUuid.toLowerCase()
  const changed = { subjectId: subjectId({ kind: 'entity', id }), userUuid: id }
  for (const payload of changePayloads([changed], Date.now()))
    await tx.query('SELECT pg_notify($1, $2)', [changeChannel, payload])
}

async function writeTerms(tx: Transaction, row: TermSource): Promise<void> {
  const terms = personTerms(row)
  await tx.query('DELETE FROM person_term WHERE user_uuid = $1 AND term <> ALL($2::text[])', [
    row.user_uuid,
    terms,
  ])
  await tx.query(TERMS, [row.user_uuid, terms])
}

const GIVE_UP_ADDRESS = `
  UPDATE person SET email_key = NULL WHERE email_key = $1 AND user_uuid <> $2 AND email = $3`

const ENTER = `
  WITH before AS (SELECT to_jsonb(person) - 'updated_at' AS entry FROM person WHERE user_uuid = $1::uuid)
  INSERT INTO person AS known
    (user_uuid, source, email, email_key, target_address, first_name, last_name, country, status, linked_corporates,
     customer_number, customer_number_key)
  SELECT $1::uuid, $2, $3, $4, $5, $6, $7, $8, $9, $10::uuid[], $11, $12 WHERE NOT ${isErased('$1::uuid')}
  ON CONFLICT (user_uuid) DO UPDATE SET
    email = COALESCE(EXCLUDED.email, known.email),
    email_key = COALESCE(EXCLUDED.email_key, known.email_key),
    target_address = COALESCE(EXCLUDED.target_address, known.target_address),
    first_name = COALESCE(EXCLUDED.first_name, known.first_name),
    last_name = COALESCE(EXCLUDED.last_name, known.last_name),
    country = COALESCE(EXCLUDED.country, known.country),
    status = COALESCE(EXCLUDED.status, known.status),
    linked_corporates = COALESCE(EXCLUDED.linked_corporates, known.linked_corporates),
    customer_number = COALESCE(EXCLUDED.customer_number, known.customer_number),
    customer_number_key = COALESCE(EXCLUDED.customer_number_key, known.customer_number_key),
    updated_at = CASE WHEN EXCLUDED.status IS NULL THEN known.updated_at ELSE now() END
  RETURNING ${termSources}, to_jsonb(known) - 'updated_at' IS DISTINCT FROM (SELECT entry FROM before) AS changed`

const NUMBER = `
  UPDATE person SET customer_number = $2, customer_number_key = $3 WHERE user_uuid = $1 RETURNING ${termSources}`

const TERMS = `
  INSERT INTO person_term (user_uuid, term) SELECT $1, term FROM unnest($2::text[]) AS term ON CONFLICT DO NOTHING`
