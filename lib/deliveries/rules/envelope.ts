import { type Decimal, parseDecimal } from '#lib/platform/rules/decimal.ts'
import { type HiddenMember, isJsonObject, type Json, JsonNumber, type JsonObject, parseJson } from './json.ts'
import { textField } from './text-field.ts'

/** An envelope is the notification as it arrived, §2.4. Every part may be missing, and `fields` keeps all of them. */
export interface Envelope {
  /** The type is one of the event types of §2.3, or an unknown one. */
  readonly type: string | null
  readonly subType: string | null
  /** The event concerns this user or corporate entity; the uuid is unchanged. */
  readonly uuid: string | null
  readonly data: JsonObject | null
  readonly fields: JsonObject
  /** No reader of `fields` sees these members, but the body still holds them. */
  readonly hidden: readonly HiddenMember[]
  /** The text is the decoded body as it arrived. */
  readonly text: string
}

export type EnvelopeReading =
  | { readonly kind: 'envelope'; readonly envelope: Envelope }
  | { readonly kind: 'unreadable'; readonly why: WhyUnreadable }

export type WhyUnreadable = 'empty' | 'not-utf8' | 'not-json' | 'not-an-object'

/**
 * `parseEnvelope` reads a delivery's body. It tolerates missing and extra fields, and says why a body is no envelope. §2.4
 */
export function parseEnvelope(body: Uint8Array): EnvelopeReading {
  const text = decode(body)
  if (text === null) return { kind: 'unreadable', why: 'not-utf8' }
  if (text.trim() === '') return { kind: 'unreadable', why: 'empty' }
  const json = parseJson(text)
  if (json.kind === 'malformed') return { kind: 'unreadable', why: 'not-json' }
  if (!isJsonObject(json.value)) return { kind: 'unreadable', why: 'not-an-object' }
  return { kind: 'envelope', envelope: envelopeOf(json.value, json.hidden, text) }
}

/** This envelope stands for a body that could not be read, so that its delivery can be shown like any other. */
export const unreadableEnvelope: Envelope = envelopeOf(new Map(), [], '')

function envelopeOf(fields: JsonObject, hidden: Envelope['hidden'], text: string): Envelope {
  return {
    type: textField(fields, 'type'),
    subType: textField(fields, 'subType'),
    uuid: textField(fields, 'uuid'),
    data: objectField(fields, 'data'),
    fields,
    hidden,
    text,
  }
}

/**
 * `amountField` reads an amount from a number or from a text of digits (`"5"`). It is null when there is none, and
 * `unreadable` for anything else: `"5,00"`, an object. Decision 0133.
 */
export function amountField(object: JsonObject | null, name: string): Decimal | 'unreadable' | null {
  const value = object?.get(name) ?? null
  if (value === null || value === '') return null
  const digits = value instanceof JsonNumber ? value.digits : value
  return (typeof digits === 'string' ? parseDecimal(digits.trim()) : null) ?? 'unreadable'
}

/** The field is null when it is missing or no object. */
export function objectField(object: JsonObject | null, name: string): JsonObject | null {
  const value: Json | undefined = object?.get(name)
  return isJsonObject(value) ? value : null
}

function decode(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return null
  }
}
