import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { emailKey, emailSpellings, exactEmail } from './person-texts.ts'

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
