import 'server-only'
import type pg from 'pg'
import { emailKey, emailSpellings, exactEmail } from '#lib/identity/users/person-texts.ts'
import { cleanText, plainText } from '#lib/platform/rules/pasted-text.ts'

/** What is a person's alone, without spaces, as it is looked for in what others are told. */
export interface PersonValues {
  /** In lower case: found in any case. */
  readonly values: ReadonlySet<string>
  /**
   * E-mail addresses that somebody else has in another case, as `exactEmail` writes them: found in this case alone. Any
   * other address is among `values`, since mail servers may write it in their own way.
   */
  readonly exact: ReadonlySet<string>
}

/** As values are compared: plain, in lower case, without spaces. Null for what is too short to be anybody's alone. */
export function toValue(text: string | null | undefined): string | null {
  const value = plainText(text ?? '')
    .toLowerCase()
    .replace(/\s+/g, '')
  return value.length < 6 ? null : value
}

/** Of these addresses those that somebody else whom the directory knows has in another case. */
export async function sharedInCase(
  database: pg.Pool | pg.ClientBase,
  userUuid: string,
  emails: readonly string[],
): Promise<ReadonlySet<string>> {
  if (emails.length === 0) return new Set()
  const { rows } = await database.query<{ email: string }>(OTHERS, [userUuid, emails.flatMap(emailSpellings)])
  return new Set(
    emails.filter((email) =>
      rows.some(
        (other) => emailKey(other.email) === emailKey(email) && exactEmail(other.email) !== exactEmail(email),
      ),
    ),
  )
}

/**
 * Answers whether a text holds one of a person's values, as `names` in `tables.ts` finds them: long ones with whatever stands between
 * their letters, short ones that are no part of a longer number or word. A text may be encoded, or not though it looks so: it is read
 * in both ways.
 */
export function holdsValue({ values, exact }: PersonValues, text: string): boolean {
  const [asItIs, decoded] = [plainText(text), cleanText(text)]
  const given = asItIs.trim() === decoded ? decoded : `${asItIs}\n${decoded}`
  const compact = given.replace(/\s+/g, '')
  const folded = compact.toLowerCase()
  const letters = lettersOf(folded)
  for (const value of values) {
    if (value.includes('@') ? folded.includes(value) : holdsId(given, folded, letters, value)) return true
  }
  return [...exact].some((address) => holdsExactly(compact, address))
}

function holdsId(text: string, folded: string, letters: string, value: string): boolean {
  if (value.length > 20) return folded.includes(value) || letters.includes(lettersOf(value))
  if (!folded.includes(value)) return false
  const spaced = [...value].map((sign) => RegExp.escape(sign)).join('\\s*')
  return new RegExp(`(?<![\\p{L}\\p{N}]|\\d[.,])${spaced}(?![\\p{L}\\p{N}]|[.,]\\d)`, 'iu').test(text)
}

const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')

/** The host may be in any case wherever the address stands. */
function holdsExactly(text: string, address: string): boolean {
  const [folded, wanted] = [text.toLowerCase(), address.toLowerCase()]
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1))
    if (exactEmail(text.slice(at, at + address.length)) === address) return true
  return false
}

const OTHERS = `
  SELECT email FROM person WHERE email_key = ANY($2::text[]) AND user_uuid <> $1 AND email IS NOT NULL`
