import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, isJsonObject, type Json, JsonNumber, parseJson } from './json.ts'

describe('parseJson', () => {
  it.each(['12345678901234567890.123', '1e400', '-0', '1.10', '5', '1E+2', '0.0000000000000000000000001'])(
    'keeps the digits of %s',
    (digits) => {
      expect(read(digits)).toEqual(new JsonNumber(digits))
      expect(canonicalJson(read(digits))).toBe(digits)
    },
  )

  it('distinguishes a string of digits from a number', () => {
    expect(read('"5"')).toBe('5')
  })

  it('uses the last value of a repeated key', () => {
    expect(canonicalJson(read('{"a":1,"b":2,"a":3}'))).toBe('{"a":3,"b":2}')
  })

  it('treats __proto__ and constructor as ordinary keys', () => {
    const value = read('{"__proto__":{"admin":true},"constructor":1}')
    expect(isJsonObject(value) && value.has('__proto__')).toBe(true)
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
    expect(canonicalJson(value)).toBe('{"__proto__":{"admin":true},"constructor":1}')
  })

  it('keeps NUL and lone surrogates of strings', () => {
    expect(read('"a\\u0000b\\ud800c"')).toBe('a\u0000b\ud800c')
    expect(canonicalJson(read('"a\\u0000b\\ud800c"'))).toBe('"a\\u0000b\\ud800c"')
  })

  it.each([5_000, 500_000])('reads and writes arrays and objects nested %i deep', (depth) => {
    const arrays = '['.repeat(depth) + ']'.repeat(depth)
    const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    expect(canonicalJson(read(arrays)) === arrays).toBe(true)
    expect(canonicalJson(read(objects)) === objects).toBe(true)
  })

  it.each([
    '',
    ' ',
    'nul',
    'nullx',
    'NaN',
    'Infinity',
    '01',
    '-',
    '+1',
    '1.',
    '.5',
    '1e',
    '0x10',
    "'a'",
    '"a',
    '"\n"',
    '"\\x"',
    '"\\u12"',
    '"\\',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[1',
    '[1}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '{"a":1',
    '{,}',
    '1 2',
    '[]]',
    '\u00a0 1',
    '[1]//',
  ])('refuses %j', (text) => {
    expect(parseJson(text)).toMatchObject({ kind: 'malformed' })
    expect(() => JSON.parse(text)).toThrow()
  })

  it('says where the text stops being JSON', () => {
    expect(parseJson('{"a": tru}')).toEqual({ kind: 'malformed', at: 6 })
  })

  it('accepts and refuses the same texts as JSON.parse', () => {
    const almostJson = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"',
        '\\',
        '1',
        '-',
        '.',
        'e',
        '0',
        ' ',
        'true',
        'null',
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          almostJson.map((pieces) => pieces.join('')),
        ),
        (text) => {
          const ours = parseJson(text)
          expect(ours.kind === 'parsed').toBe(isJson(text))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

describe('canonicalJson', () => {
  it('sorts keys at every depth and leaves out spaces', () => {
    expect(canonicalJson(read('{ "b" : [ {"z":1, "y":2} ], "a" : "é" }'))).toBe(
      '{"a":"é","b":[{"y":2,"z":1}]}',
    )
  })

  it('distinguishes 1.1 from 1.10', () => {
    expect(canonicalJson(read('1.1'))).not.toBe(canonicalJson(read('1.10')))
  })

  it('is read back as the same value, and is its own canonical text', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        const canonical = canonicalJson(read(text))
        expect(JSON.parse(canonical)).toEqual(JSON.parse(text))
        expect(canonicalJson(read(canonical))).toBe(canonical)
      }),
    )
  })

  it('does not depend on the order in which keys were written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (object) => {
        const backwards = Object.fromEntries(Object.entries(object).reverse())
        expect(canonicalJson(read(JSON.stringify(backwards)))).toBe(
          canonicalJson(read(JSON.stringify(object))),
        )
      }),
    )
  })
})

function read(text: string): Json {
  const json = parseJson(text)
  if (json.kind === 'malformed') throw new Error(`not JSON at ${json.at}: ${text.slice(0, 80)}`)
  return json.value
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
