import 'server-only'
import type pg from 'pg'
import { type Envelope, parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { isEventType } from '#lib/deliveries/rules/event-types.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from '#lib/deliveries/rules/json.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import { emailSpellings, exactEmail } from '#lib/identity/users/person-texts.ts'
import { isAbout } from '#lib/timeline/projector/erased-people.ts'
import { sharedInCase, toValue } from './person-values.ts'

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
