import 'server-only'
import type pg from 'pg'
import { type Envelope, parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { isEventType } from '#lib/deliveries/rules/event-types.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from '#lib/deliveries/rules/json.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import { emailKey, emailSpellings, exactEmail } from '#lib/identity/users/person-texts.ts'
import { cleanText, plainText } from '#lib/platform/rules/pasted-text.ts'
import { isAbout } from '#lib/timeline/projector/erased-people.ts'
import type { Statement } from './tables.ts'

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
async function sharedInCase(
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

/** What is known of a person, and whose it is. */
interface KnownValues {
  readonly userUuid: string
  readonly values: Set<string>
  readonly exact: Set<string>
}

/**
 * Remembers what only this person can have, so that it is found where others are told of them.
 * @param email as the directory has it
 */
export async function collectValues(
  database: pg.Pool | pg.ClientBase,
  { userUuid, values, exact }: KnownValues,
  bodies: readonly Uint8Array[],
  email: string | null = null,
): Promise<void> {
  const emails = new Set(toValue(email) !== null && email !== null ? [email] : [])
  for (const body of bodies) {
    const parsed = parseEnvelope(body)
    if (parsed.kind !== 'envelope' || !isAbout(parsed.envelope, userUuid)) continue
    for (const text of ownValues(parsed.envelope)) {
      const value = toValue(text)
      if (value !== null) values.add(value)
    }
    for (const mailed of emailsOf(parsed.envelope)) if (toValue(mailed) !== null) emails.add(mailed)
  }
  const shared = await sharedInCase(database, userUuid, [...emails])
  for (const email of emails)
    if (shared.has(email)) exact.add(exactEmail(email))
    else for (const spelling of emailSpellings(email)) values.add(toValue(spelling) ?? spelling)
}

/** Of an account in the person's name, of the person's own wallet. §6.3 */
function ownValues({ type, data }: Envelope): (string | null)[] {
  if (type === 'unblockBankAccount')
    return [textField(data, 'uuid'), textField(data, 'iban'), textField(data, 'account_number')]
  if (type === 'walletCreated') return [textField(data, 'walletAddress')]
  return isNew(type) ? valuesOf(data, accounts) : []
}

/** §6.6 */
function emailsOf({ type, data }: Envelope): string[] {
  if (type === 'otpNotification') return [textField(data, 'emailAddress') ?? '']
  return isNew(type) ? valuesOf(data, emails) : []
}

/** The members of an unknown type say by their names alone what they are. */
const isNew = (type: string | null): boolean => !isEventType(type)

const iban = /^[a-z]{2}\d{2}[a-z\d]{10,30}$/i
const number = /^\d{6,34}$/
const wallet = /^(?=.*\d)[a-z\d]{26,100}$/i
const email = /^\S+@\S+$/

const accounts: Shapes = new Map([
  ['iban', iban],
  ...['accountNumber', 'account_number'].map((name) => [name, number] as const),
  ...['wallet', 'walletAddress', 'wallet_address'].map((name) => [name, wallet] as const),
])
const emails: Shapes = new Map(['email', 'emailAddress', 'email_address'].map((name) => [name, email]))

type Shapes = ReadonlyMap<string, RegExp>

/** Texts at any depth that stand under one of these names and look like it. Bodies nest as deep as their sender likes: no recursion. */
function valuesOf(data: JsonObject | null, shapes: Shapes): string[] {
  const found: string[] = []
  const open: Json[] = data ? [data] : []
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...next)
    if (!isJsonObject(next)) continue
    for (const [name, value] of next) {
      const text = value instanceof JsonNumber ? value.digits : value
      if (typeof text !== 'string') {
        if (!otherParties.has(name)) open.push(text)
      } else if (shapes.get(name)?.test(text.replace(/\s+/g, ''))) found.push(text)
    }
  }
  return found
}

/** Whoever sends or gets the money is often somebody else. §6.1, §6.2 */
const otherParties: ReadonlySet<string> = new Set(['senderDetails', 'beneficiaryDetails'])

/** The parameters of the statements about a person, by what they are of. */
export const parametersOf = (
  userUuid: string,
  { values, exact }: { readonly values: Iterable<string>; readonly exact: Iterable<string> },
): Readonly<Record<Statement['of'], readonly unknown[]>> => ({
  user: [userUuid],
  values: [[...values]],
  addresses: [[...values], [...exact]],
})
