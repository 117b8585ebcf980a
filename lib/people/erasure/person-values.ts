import 'server-only'
import type pg from 'pg'
import { type Envelope, parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { isEventType } from '#lib/deliveries/rules/event-types.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from '#lib/deliveries/rules/json.ts'
import { textField, writtenField } from '#lib/deliveries/rules/text-field.ts'
import { emailKey, emailSpellings, exactEmail } from '#lib/identity/users/person-texts.ts'
import { signsInWords } from '#lib/platform/rules/mail-address.ts'
import { cleanText, plainText } from '#lib/platform/rules/pasted-text.ts'
import { ibanShape } from '#lib/search/rules/iban.ts'
import { isAbout } from '#lib/timeline/projector/erased-people.ts'
import type { Statement } from './conditions.ts'

/**
 * `PersonValues` belong only to one person. They are without spaces, as they are searched for in other people's
 * data.
 */
export interface PersonValues {
  /** The values are in lower case and match any case. */
  readonly values: ReadonlySet<string>
  /**
   * Somebody else has the same e-mail address in another case, so these match only in this case, as `exactEmail`
   * writes them. Every other address is in `values`, since mail servers may change its case.
   */
  readonly exact: ReadonlySet<string>
}

/**
 * A value is compared as plain text, in lower case, without spaces. Null for a text that is too short to belong to
 * one person.
 */
export function toValue(text: string | null | undefined): string | null {
  const value = plainText(text ?? '')
    .toLowerCase()
    .replace(/\s+/g, '')
  return value.length < 6 ? null : value
}

/** Somebody else in the directory has these addresses in another case. */
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
 * The text holds one of a person's values: long ones and IBANs with any signs between their letters, other numbers not
 * within a longer number or word, an address not at the end of a longer one. It is read as it is and decoded.
 */
export function holdsValue({ values, exact }: PersonValues, text: string): boolean {
  const [asItIs, decoded] = [plainText(text), cleanText(text)]
  const given = asItIs.trim() === decoded ? decoded : `${asItIs}\n${decoded}`
  const folded = given.toLowerCase()
  const letters = lettersOf(folded)
  for (const value of values)
    if (
      value.includes('@') ? findAddress(folded, letters, value).length > 0 : holdsId(folded, letters, value)
    )
      return true
  return [...exact].some((address) =>
    findAddress(given, letters, address).some((found) => exactEmail(found) === address),
  )
}

function holdsId(folded: string, letters: string, value: string): boolean {
  const wanted = lettersOf(value).replace(/^0x(?=[\da-f]{20})/, '')
  if (!letters.includes(wanted)) return false
  if ((value.length > 20 && wanted.length > 10) || ibanShape.test(value)) return true
  const signs = [...value].map((sign) => RegExp.escape(sign))
  if (apart(signs.join('\\s*')).test(folded)) return true
  if (!/^\d+$/.test(value)) return false
  const dashed = folded.match(apart(`(?<!\\d-)${signs.join('[\\s-]*')}(?!-\\d)`)) ?? []
  return value.length > longestOfDay ? dashed.length > 0 : dashed.some(isNoDay)
}

const apart = (pattern: string) =>
  new RegExp(`(?<!${latinOrDigit}|\\d[.,])${pattern}(?!${latinOrDigit}|[.,]\\d)`, 'giu')

/** Other scripts may be written beside a number or an address without a space. */
const latinOrDigit = '[\\p{Script=Latin}\\p{Nd}]'

/** Days, sort codes of banks, and two years or amounts have dashes between their digits too. */
function isNoDay(dashed: string): boolean {
  const groups = dashed.replace(/\s+/g, '').split(/-+/)
  return groups.length > 2 && !day.test(groups.join('-'))
}

const longestOfDay = 8
const day = /^(?:\d{4}-[01]?\d-[0-3]?\d|[0-3]?\d-[0-3]?\d-\d{4}|\d\d-\d\d-\d\d)$/

export const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')

/** The address is returned as often as the text has it, in the text's case, with its signs. */
function findAddress(text: string, letters: string, address: string): readonly string[] {
  if (!letters.includes(longestPart(address))) return []
  const signs = [...address].map((sign) => {
    const words = sign === '@' || sign === '.' ? `|${signsInWords[sign]}` : ''
    return `(?:${RegExp.escape(sign)}${words})`
  })
  const [before, after] = [inWord.test(address), inWord.test(address.at(-1) ?? '')]
  const pattern = `${before ? beginsApart : ''}${signs.join('\\s*')}${after ? endsApart : ''}`
  return (text.match(new RegExp(pattern, 'giu')) ?? []).map((found) =>
    found.replace(/\s+/g, '').replace(atInWords, '@').replace(dotInWords, '.'),
  )
}

/** Signs may be written as words, so only this part of an address is certainly in a text that has the address. */
const longestPart = (address: string): string =>
  address
    .slice(0, address.lastIndexOf('@'))
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '')

const atInWords = new RegExp(signsInWords['@'], 'gi')
const dotInWords = new RegExp(signsInWords['.'], 'gi')

const inWord = new RegExp(`^${latinOrDigit}`, 'u')
/** A text within a text has the marks of its line breaks and codes. */
const beginsApart = `(?:(?<!${latinOrDigit}[.+_\\-]?)|(?<=\\\\[nrt]|[=%][\\da-f]{2}))`
const endsApart = `(?!${latinOrDigit})`

const OTHERS = `
  SELECT email FROM person WHERE email_key = ANY($2::text[]) AND user_uuid <> $1 AND email IS NOT NULL`

/** These values are known of this person. */
interface KnownValues {
  readonly userUuid: string
  readonly values: Set<string>
  readonly exact: Set<string>
}

/**
 * Values that only this person can have are added, so that they are found in other people's data. `email` is the
 * address of the directory.
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

/** An account in the person's name and the person's own wallet give these values (§6.3). */
function ownValues({ type, data }: Envelope): (string | null)[] {
  if (type === 'unblockBankAccount')
    return [textField(data, 'uuid'), writtenField(data, 'iban'), writtenField(data, 'account_number')]
  if (type === 'walletCreated') return [textField(data, 'walletAddress')]
  return isNew(type) ? valuesOf(data, accounts) : []
}

/** Only `otpNotification` and unknown types name e-mail addresses (§6.6). */
function emailsOf({ type, data }: Envelope): string[] {
  if (type === 'otpNotification') return [textField(data, 'emailAddress') ?? '']
  return isNew(type) ? valuesOf(data, emails) : []
}

/** The fields of an unknown type are recognised only by their names. */
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

/**
 * The texts have one of these names, at any depth, and the right form. The walk is not recursive, because a body
 * may nest as deep as its sender likes.
 */
function valuesOf(data: JsonObject | null, shapes: Shapes): string[] {
  const found: string[] = []
  const open: Json[] = data ? [data] : []
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) for (const inner of next) open.push(inner)
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

/** The sender or the receiver of the money is often somebody else (§6.1, §6.2). */
const otherParties: ReadonlySet<string> = new Set(['senderDetails', 'beneficiaryDetails'])

/** Each sort of statement about a person has its parameters. `texts` are those that name the person. */
export const parametersOf = (
  userUuid: string,
  { values, exact }: { readonly values: Iterable<string>; readonly exact: Iterable<string> },
  texts: readonly string[],
): Readonly<Record<Statement['of'], readonly unknown[]>> => ({
  user: [userUuid],
  values: [[...values]],
  addresses: [[...values], [...exact]],
  texts: [[...values], [...exact], texts],
})
