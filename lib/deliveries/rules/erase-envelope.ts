import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import type { Envelope } from './envelope.ts'
import { bankAccountTypes } from './event-types.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from './json.ts'
import { amountNames } from './transaction-fields.ts'

/** These values stand for an erased person. */
export interface Erasure {
  /** The same id gets the same pseudonym, which does not lead back to the id. */
  readonly pseudonymOf: (id: string) => string
  /** Equal bodies have the same mark, so that a repeated delivery is still recognised. */
  readonly mark: string
}

/**
 * `eraseEnvelope` removes the person from an envelope about them. It keeps what happened and how much money moved, for the
 * merchant's records. Fields that are not named here are removed.
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
 * `eraseMentions` removes an erased person from an envelope about somebody else, such as a duplicate. Each member that
 * contains one of the person's values, or is named by one, loses its texts. The result has no hidden members; it is null
 * when `mentionsIn` finds nothing.
 */
export function eraseMentions(
  { fields, hidden }: Pick<Envelope, 'fields' | 'hidden'>,
  isTheirs: (text: string) => boolean,
): JsonObject | null {
  const data = fields.get('data')
  const wholes = isJsonObject(data) ? eraseMembers(data, isTheirs) : null
  const rest = eraseMembers(fields, isTheirs, isJsonObject(data) ? 'data' : undefined)
  if (wholes === null && rest === null)
    return hidden.some(([name, value]) => isTheirs(name) || holds(value, isTheirs)) ? fields : null
  const erased = new Map(rest ?? fields)
  if (wholes !== null) erased.set('data', wholes)
  return erased
}

/**
 * `mentionsIn` finds the texts of an envelope that belong to a person, with their paths, such as `data.duplicateOf`. A
 * member's name can also be such a text. The path of a hidden member begins with its own name.
 */
export function mentionsIn(
  { fields, hidden }: Pick<Envelope, 'fields' | 'hidden'>,
  isTheirs: (text: string) => boolean,
): readonly { readonly at: string; readonly text: string }[] {
  const found: { at: string; text: string }[] = []
  const note = (at: string, text: string) => {
    if (isTheirs(text)) found.push({ at, text })
  }
  const open: { at: string; value: Json }[] = [
    { at: '', value: fields },
    ...hidden.map((member) => ({ at: '', value: new Map([member]) })),
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, value } = next
    if (typeof value === 'string') note(at, value)
    else if (value instanceof JsonNumber) note(at, value.digits)
    else if (isJsonObject(value))
      for (const [name, inner] of value) {
        note(at, name)
        open.push({ at: at === '' ? name : `${at}.${name}`, value: inner })
      }
    else if (Array.isArray(value)) for (const inner of value) open.push({ at, value: inner })
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

/** The search is not recursive, because bodies may nest at any depth. */
function holds(value: Json, isTheirs: (text: string) => boolean): boolean {
  const open: Json[] = [value]
  for (;;) {
    const next = open.pop()
    if (next === undefined) return false
    if (typeof next === 'string' && isTheirs(next)) return true
    if (next instanceof JsonNumber && isTheirs(next.digits)) return true
    if (isJsonObject(next)) for (const member of next) for (const inner of member) open.push(inner)
    if (Array.isArray(next)) for (const inner of next) open.push(inner)
  }
}

/** The text replaces a removed text. */
export const erasedText = 'erased'

/** `isPseudonym` is true for the pseudonym of an erased person, who has no page. */
export const isPseudonym = (id: string): boolean => id.startsWith(`${erasedText}-`)

/** A member with an erased value keeps its kind alone: an object keeps its keys, any other value becomes one word. */
function withoutTexts(value: Json, isTheirs: (text: string) => boolean): Json {
  return isJsonObject(value)
    ? new Map([...value.keys()].slice(0, 50).map((name) => [keptName(name, isTheirs), erasedText]))
    : erasedText
}

/** The name is not `erased` alone, because that member marks a whole body as erased. */
const keptName = (name: string, isTheirs: (text: string) => boolean): string =>
  isTheirs(name) ? `${erasedText} name` : name

const entriesOf = (object: ReadonlyMap<string, Json> | null): [string, Json][] => [...(object ?? new Map())]

/** Only texts of closed sets and amounts are kept, and no free text. */
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
