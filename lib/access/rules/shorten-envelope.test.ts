import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Envelope, parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { identifiersOf } from '#lib/deliveries/rules/identifier.ts'
import { canonicalJson } from '#lib/deliveries/rules/json.ts'
import { foldedPaths, summaryOf } from '#lib/deliveries/rules/summary.ts'
import { eventRules, shortenEnvelope } from './events.ts'

function read(text: string): Envelope {
  const reading = parseEnvelope(Buffer.from(text))
  if (reading.kind === 'unreadable') throw new Error(reading.why)
  return reading.envelope
}

const shorten = (text: string) => canonicalJson(shortenEnvelope(read(text)))

const paths = [
  ...new Set([...foldedPaths, ...eventTypes.flatMap((type) => Object.keys(eventRules(type).data))]),
]

const anyValue = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'binary', minLength: 495, maxLength: 510 }),
  fc.double(),
  fc.constantFrom(null, true, '', [], {}, { iban: 'DE1' }),
)

/** Each body gives any value to the fields that are read, and holds fields that nobody reads. */
const anyBody = fc
  .record({
    type: fc.oneof(fc.constantFrom(...eventTypes), anyValue),
    subType: anyValue,
    uuid: anyValue,
    fields: fc.array(fc.tuple(fc.constantFrom(...paths, 'iban', 'account_number', 'other', 'a.b'), anyValue)),
    extra: fc.jsonValue(),
  })
  .map(({ fields, ...head }) => {
    const data: Record<string, unknown> = {}
    for (const [path, value] of fields) put(data, path.split('.'), value)
    return JSON.stringify({ ...head, data })
  })

function put(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) into[name] = value
  else {
    const inner = into[name]
    const object: Record<string, unknown> =
      typeof inner === 'object' && inner && !Array.isArray(inner) ? { ...inner } : {}
    put(object, rest, value)
    into[name] = object
  }
}

test('says the same to a fold, and is found by the same ids', () => {
  fc.assert(
    fc.property(anyBody, (text) => {
      const [whole, short] = [read(text), read(shorten(text))]
      expect(summaryOf(short)).toEqual(summaryOf(whole))
      expect(identifiersOf(short)).toEqual(identifiersOf(whole))
      expect(shorten(canonicalJson(short.fields))).toBe(canonicalJson(short.fields))
    }),
  )
})

test('drops what nobody reads, and keeps that something was erased', () => {
  expect(
    shorten(
      '{"type":"KYC","more":1,"erased":"1f2e3d4c","data":{"status":"FULL_USER","documents":["x"],"note":"y"}}',
    ),
  ).toBe('{"data":{"status":"FULL_USER"},"erased":"1f2e3d4c","type":"KYC"}')
  expect(shorten('{"type":"KYC"}')).toBe('{"type":"KYC"}')
})
