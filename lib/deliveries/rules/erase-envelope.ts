import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import type { Envelope } from './envelope.ts'
import { bankAccountTypes } from './event-types.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from './json.ts'
import { amountNames } from './transaction-fields.ts'

/** What stands for somebody who was erased. */
export interface Erasure {
  /** The same for the same id, and nothing that leads back to it. */
  readonly pseudonymOf: (id: string) => string
  /** The same for bodies that said the same, so that a repetition is still known for one. */
  readonly mark: string
}

/**
 * The envelope of a delivery about somebody who was erased: what happened, when it is looked at from the merchant's side,
 * and how much money moved; nothing that says to whom. What is not named here is left out.
 */
export function eraseEnvelope(envelope: Envelope, { pseudonymOf, mark }: Erasure): JsonObject {
  const { type, subType, uuid, data } = envelope
  const kept = new Map<string, Json>(entriesOf(data).filter(([name, value]) => isKept(name, value)))
  const account = bankAccountTypes.has(type ?? '') ? data?.get('uuid') : undefined
  if (typeof account === 'string') kept.set('uuid', pseudonymOf(account))
  return new Map<string, Json>([
    ...entriesOf(new Map([['type', type] as const, ['subType', subType] as const])).filter(
      ([, value]) => value !== null,
    ),
    ...(uuid === null ? [] : [['uuid', pseudonymOf(uuid)] as const]),
    ['data', kept],
    ['erased', mark],
  ])
}

/**
 * The envelope of a delivery about somebody else that names an erased person, such as a duplicate: whatever member of it
 * holds one of the person's values, or is called by one, loses its texts. Null when none does.
 */
export function eraseMentions(fields: JsonObject, isTheirs: (text: string) => boolean): JsonObject | null {
  const data = fields.get('data')
  const wholes = isJsonObject(data) ? eraseMembers(data, isTheirs) : null
  const rest = eraseMembers(fields, isTheirs, 'data')
  if (wholes === null && rest === null) return null
  const erased = new Map(rest ?? fields)
  if (wholes !== null) erased.set('data', wholes)
  return erased
}

/** The texts of an envelope that are somebody's, with where they stand, such as `data.duplicateOf`; of a name, the name. */
export function mentionsIn(
  fields: JsonObject,
  isTheirs: (text: string) => boolean,
): readonly { readonly at: string; readonly text: string }[] {
  const found: { at: string; text: string }[] = []
  const note = (at: string, text: string) => {
    if (isTheirs(text)) found.push({ at, text })
  }
  const open: { at: string; value: Json }[] = [{ at: '', value: fields }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, value } = next
    if (typeof value === 'string') note(at, value)
    else if (value instanceof JsonNumber) note(at, value.digits)
    else if (isJsonObject(value))
      for (const [name, inner] of value) {
        note(at, name)
        open.push({ at: at === '' ? name : `${at}.${name}`, value: inner })
      }
    else if (Array.isArray(value)) open.push(...value.map((inner) => ({ at, value: inner })))
  }
  return found
}

function eraseMembers(
  object: JsonObject,
  isTheirs: (text: string) => boolean,
  except?: string,
): JsonObject | null {
  let found = false
  const members = entriesOf(object).map(([name, value]): [string, Json] => {
    if (name === except || !(isTheirs(name) || holds(value, isTheirs))) return [name, value]
    found = true
    return [keptName(name, isTheirs), withoutTexts(value, isTheirs)]
  })
  return found ? new Map(members) : null
}

/** Bodies nest as deep as their sender likes: no recursion. */
function holds(value: Json, isTheirs: (text: string) => boolean): boolean {
  const open: Json[] = [value]
  for (;;) {
    const next = open.pop()
    if (next === undefined) return false
    if (typeof next === 'string' && isTheirs(next)) return true
    if (next instanceof JsonNumber && isTheirs(next.digits)) return true
    if (isJsonObject(next)) open.push(...next.keys(), ...next.values())
    else if (Array.isArray(next)) open.push(...next)
  }
}

/** A text that stands for one that was removed. */
export const erasedText = 'erased'

/** Whether an id stands for somebody who was erased, of whom there is no page. */
export const isPseudonym = (id: string): boolean => id.startsWith(`${erasedText}-`)

/** A member with an erased value is shown as its kind alone: an object by its keys, anything else by one word. */
function withoutTexts(value: Json, isTheirs: (text: string) => boolean): Json {
  return isJsonObject(value)
    ? new Map([...value.keys()].slice(0, 50).map((name) => [keptName(name, isTheirs), erasedText]))
    : erasedText
}

/** Not `erased` alone: by that member a whole body is known as an erased one. */
const keptName = (name: string, isTheirs: (text: string) => boolean): string =>
  isTheirs(name) ? `${erasedText} name` : name

const entriesOf = (object: ReadonlyMap<string, Json> | null): [string, Json][] => [...(object ?? new Map())]

/** Texts of closed sets and amounts: no free text. */
function isKept(name: string, value: Json): boolean {
  if (amountNames.includes(name)) return value instanceof JsonNumber || isDigits(value)
  return typeof value === 'string' && texts.has(name) && value.length <= longest
}

const isDigits = (value: Json) => typeof value === 'string' && parseDecimal(value.trim()) !== null

const longest = 100
const texts: ReadonlySet<string> = new Set([
  'transactionUuid',
  'direction',
  'status',
  'currencyFiat',
  'currencyCrypto',
  'currency',
  'chain',
])
