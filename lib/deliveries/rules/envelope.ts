import { type Decimal, parseDecimal } from '#lib/platform/rules/decimal.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject, parseJson } from './json.ts'
import { textField } from './text-field.ts'

/** A notification as it came, §2.4. Everything may be missing; whatever else it carries stays in `whole`. */
export interface Envelope {
  /** Broad category, one of the event types of §2.3 or one we do not know yet. */
  readonly type: string | null
  readonly subType: string | null
  /** The user or corporate entity that the event concerns, as written. */
  readonly uuid: string | null
  readonly data: JsonObject | null
  readonly fields: JsonObject
  /** The body as it came, decoded; free of NUL and lone surrogates, so any database can hold it. */
  readonly text: string
}

export type EnvelopeReading =
  | { readonly kind: 'envelope'; readonly envelope: Envelope }
  | { readonly kind: 'unreadable'; readonly why: WhyUnreadable }

export type WhyUnreadable = 'empty' | 'not-utf8' | 'not-json' | 'not-an-object'

/** Reads a delivery's body, tolerant of anything missing or extra, and says why when it is no envelope. §2.4 */
export function parseEnvelope(body: Uint8Array): EnvelopeReading {
  const text = decode(body)
  if (text === null) return { kind: 'unreadable', why: 'not-utf8' }
  if (text.trim() === '') return { kind: 'unreadable', why: 'empty' }
  const json = parseJson(text)
  if (json.kind === 'malformed') return { kind: 'unreadable', why: 'not-json' }
  if (!isJsonObject(json.value)) return { kind: 'unreadable', why: 'not-an-object' }
  return { kind: 'envelope', envelope: envelopeOf(json.value, text) }
}

/** Stands for a body that could not be read, so that its delivery can be shown like any other. */
export const unreadableEnvelope: Envelope = envelopeOf(new Map(), '')

function envelopeOf(fields: JsonObject, text: string): Envelope {
  return {
    type: textField(fields, 'type'),
    subType: textField(fields, 'subType'),
    uuid: textField(fields, 'uuid'),
    data: objectField(fields, 'data'),
    fields,
    text,
  }
}

/**
 * An amount as written, be it a number or a text of its digits alone (`"5"`); null where none is given, `unreadable` where what is
 * given is no amount: `"5,00"`, an object. Decision 0133.
 */
export function amountField(object: JsonObject | null, name: string): Decimal | 'unreadable' | null {
  const value = object?.get(name) ?? null
  if (value === null || value === '') return null
  const digits = value instanceof JsonNumber ? value.digits : value
  return (typeof digits === 'string' ? parseDecimal(digits.trim()) : null) ?? 'unreadable'
}

/** An object field, or null when it is missing or no object. */
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
