import 'server-only'
import crypto from 'node:crypto'
import { domainToASCII, domainToUnicode } from 'node:url'
import type pg from 'pg'
import { lowerCase } from '#lib/platform/db/statements.ts'
import { longLetters, plainLetters, plainText, visibleText } from '#lib/platform/rules/pasted-text.ts'

/** Both names together may be shown; null when neither is known, or neither is visible. */
export const fullName = (row: {
  readonly first_name: string | null
  readonly last_name: string | null
}): string | null =>
  [row.first_name, row.last_name].flatMap((name) => visibleText(name) ?? []).join(' ') || null

/**
 * The key is the same for all spellings of an e-mail address that differ only in case, or in an international
 * host. Two people may share it.
 */
export const emailKey = (email: string) => exactEmail(email).toLowerCase()

/** One mailbox has this address: the case of the host means nothing, that of the part before it may. */
export function exactEmail(email: string): string {
  const { local, host } = partsOf(email)
  const unicode = domainToUnicode(host)
  return local + (unicode === '' ? host.toLowerCase() : unicode)
}

/** The address is written in each spelling of its host, in lower case: as it was typed, in letters, and as `xn--…`. */
export function emailSpellings(email: string): readonly string[] {
  const { local, host } = partsOf(email)
  const hosts = [host, domainToUnicode(host), domainToASCII(host)].filter((one) => one !== '')
  return [...new Set(hosts.map((one) => (local + one).toLowerCase()))]
}

/**
 * The SQL is true when the column has one of these addresses, as `emailSpellings` writes them. Stored accents may be signs of
 * their own.
 */
export const isAddress = (column: string, parameter: string): string =>
  `${lowerCase(`normalize(${column}, NFC)`)} = ANY(${parameter}::text[])`

function partsOf(email: string) {
  const text = plainText(email).trim().normalize('NFC')
  const at = text.lastIndexOf('@') + 1
  return { local: text.slice(0, at), host: text.slice(at) }
}

/** A person can be found by these columns of `person`. */
export interface TermSource {
  readonly user_uuid: string
  readonly email: string | null
  readonly target_address: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly customer_number: string | null
}

/** `personTerms` reads these columns of a SELECT. */
export const termSources = 'user_uuid, email, target_address, first_name, last_name, customer_number'

/** A person is found by the beginning of each of these texts, as `spelledTerms` writes them. */
export function personTerms(person: TermSource): string[] {
  const { user_uuid, email, target_address, first_name, last_name, customer_number } = person
  const name = [first_name, last_name].filter(Boolean).join(' ')
  const found = [
    user_uuid,
    email && emailKey(email),
    target_address,
    customer_number,
    ...[name, last_name, ...(last_name?.split(/\s+/) ?? [])],
  ]
  return [...new Set(found.flatMap((text) => spelledTerms(text ?? '')))]
}

/**
 * `Müller` is stored and looked up as `muller` and as `mueller`; an e-mail address has one spelling. A text without anything
 * to find has none.
 */
export function spelledTerms(text: string): string[] {
  const spelled = text.includes('@') ? [text] : [text, longLetters(plainText(text))]
  return [...new Set(spelled.map(toTerm))].filter((term) => term !== '')
}

/** A search takes the dot at the end of `Ana Lima Jr.` for that of a sentence, so a whole name is looked up both ways. */
export const withDot = (name: string): readonly string[] => (name === '' ? [] : [name, `${name}.`])

/** People are looked up in this form: plain, in lower case, `plainLetters`, single spaces, at most 200 characters. */
export const toTerm = (text: string): string =>
  plainLetters(plainText(text.replaceAll('\0', ' ')))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed()

/** The SQL is true when the user of this uuid was erased: nothing takes them back into the directory. */
export const isErased = (userUuid: string): string =>
  `EXISTS (SELECT FROM erasure WHERE user_digest = sha256(convert_to(${userUuid}::text, 'UTF8')))`

/** The user was erased: nobody signs in to such an account here. */
export async function wasErased(database: pg.Pool | pg.ClientBase, userUuid: string): Promise<boolean> {
  const { rows } = await database.query<{ erased: boolean }>(ERASED, [userUuid])
  return rows[0]?.erased ?? false
}

/**
 * An erased person's e-mail address is recognised by this digest, so that no old list brings them back.
 * `exactly`: only in this case of the letters, because somebody else has it in another.
 */
export async function emailDigest(
  database: pg.Pool | pg.ClientBase,
  email: string,
  exactly: boolean,
): Promise<Buffer> {
  return digestOf(await readSalt(database), exactly ? exactText(email) : emailKey(email))
}

/** The result tells which addresses belong to erased people. */
export async function erasedAddresses(
  database: pg.Pool | pg.ClientBase,
): Promise<(email: string) => boolean> {
  const { rows } = await database.query<{ email_digest: Buffer }>(DIGESTS)
  if (rows.length === 0) return () => false
  const salt = await readSalt(database)
  const digests = new Set(rows.map(({ email_digest }) => email_digest.toString('hex')))
  return (email) =>
    [...emailSpellings(email), exactText(email)].some((text) =>
      digests.has(digestOf(salt, text).toString('hex')),
    )
}

/** The text is never the same as the key of any address. */
const exactText = (email: string): string => `exactly ${exactEmail(email)}`

const digestOf = (salt: string, text: string) => crypto.createHmac('sha256', salt).update(text).digest()

/** All addresses share one salt, made for the first. */
async function readSalt(database: pg.Pool | pg.ClientBase): Promise<string> {
  const { rows } = await database.query<{ value: string }>(SALT, [
    JSON.stringify(crypto.randomBytes(32).toString('hex')),
  ])
  return rows[0]?.value ?? ''
}

const ERASED = `SELECT ${isErased('$1::uuid')} AS erased`

const DIGESTS = 'SELECT email_digest FROM erasure WHERE email_digest IS NOT NULL'

const SALT = `
  INSERT INTO setting AS known (key, value) VALUES ('erasure-salt', $1::jsonb)
  ON CONFLICT (key) DO UPDATE SET value = known.value RETURNING value #>> '{}' AS value`
