import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  halvesOf,
  meantBeginnings,
  nearable,
  nearableEnding,
  slipAtEnd,
  slipBetween,
  withDigits,
} from './near-miss.ts'
import { beginning, ending } from './probes.ts'

const id = '2046967a-e17d-45b7-9cc9-a4c1b2ad1329'

describe('slipBetween', () => {
  it.each([
    ['2046967a-e17d-45b7-9cc9-a4c1b2ad1328', { kind: 'wrong', at: 35 }],
    ['2046967b-e17d-45b7-9cc9-a4c1b2ad1329', { kind: 'wrong', at: 7 }],
    ['2046967-e17d-45b7-9cc9-a4c1b2ad1329', { kind: 'missing', at: 7 }],
    ['2046967a-e17d-45b7-9cc9-a4c1b2ad132', { kind: 'missing', at: 35 }],
    ['2046967aa-e17d-45b7-9cc9-a4c1b2ad1329', { kind: 'too-many', at: 8 }],
    ['2046967a-e17d-45b7-9cc9-a4c1b2ad13290', { kind: 'too-many', at: 36 }],
    ['2064967a-e17d-45b7-9cc9-a4c1b2ad1329', { kind: 'swapped', at: 2 }],
    ['2046968a', { kind: 'wrong', at: 6 }],
    ['246967a-', { kind: 'missing', at: 1 }],
  ])('between %s and the id is one', (typed, slip) => {
    expect(slipBetween(typed, id)).toEqual(slip)
  })

  it.each([id, '2046967a', '3f2c1111', '2046968b-e17d-45b7-9cc9-a4c1b2ad1328'])(
    'between %s and it is not one',
    (typed) => {
      expect(slipBetween(typed, id)).toBeNull()
    },
  )
})

it('looks where an id stands of which any one character was typed wrong', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.nat(35), fc.integer({ min: 8, max: 36 }), (value, at, length) => {
      const digit = value[at] === '0' ? '1' : '0'
      if (value[at] === '-' || at >= length) return
      const wrong = value.slice(0, at) + digit + value.slice(at + 1)
      const typed = wrong.slice(0, length)
      if (length > 34 && length < 36) return
      const searchable =
        halvesOf(typed).some(
          ({ prefix, suffix }) => value.startsWith(prefix ?? '') && value.endsWith(suffix ?? ''),
        ) || meantBeginnings(typed).some((beginning) => value.startsWith(beginning))
      expect(searchable, typed).toBe(true)
      if (length !== 35) expect(slipBetween(typed, value)).toMatchObject({ kind: 'wrong', at })
    }),
  )
})

it('finds the one slip in an ending', () => {
  const end = id.slice(-12)
  expect(slipAtEnd(end, id)).toBeNull()
  expect(slipAtEnd('a4c1b2ad1328', id)).toEqual({ kind: 'wrong', at: 35 })
  expect(slipAtEnd('b4c1b2ad1329', id)).toEqual({ kind: 'wrong', at: 24 })
  expect(slipAtEnd('a4c1b2d1329', id)).toEqual({ kind: 'missing', at: 30 })
  expect(slipAtEnd('a4c1b2aad1329', id)).toMatchObject({ kind: 'too-many' })
  expect(slipAtEnd('a4c1b2da1329', id)).toEqual({ kind: 'swapped', at: 30 })
  expect(slipAtEnd('a4c1b2ad1338', id)).toBeNull()
})

it('reads letters for the digits that they look like', () => {
  expect(withDigits('2o46967a')).toBe('2046967a')
  expect(withDigits('2046967a-el7d-45b7')).toBe('2046967a-e17d-45b7')
  expect(withDigits('0x37lfa7c5')).toBe('0x371fa7c5')
  expect(withDigits('2046967a')).toBeNull()
  expect(withDigits('garcia-lopez')).toBeNull()
})

it('looks for nothing near to what is too short, or no id', () => {
  const beginning = (prefix: string) => [{ prefix, suffix: null, exact: false }]
  expect(nearable(beginning('204696'))).toBeNull()
  expect(nearable(beginning('garcialopez'))).toBeNull()
  expect(nearable([{ prefix: null, suffix: '9cc9a4c1b2ad1329', exact: false }])).toBeNull()
  expect(nearable(beginning('2046967a'))).toBe('2046967a')
  const ending = (suffix: string) => [{ prefix: null, suffix, exact: false }]
  expect(nearableEnding(ending('ad1329'))).toBeNull()
  expect(nearableEnding(ending('b2ad1329'))).toBe('b2ad1329')
  expect(nearableEnding(beginning('2046967a'))).toBeNull()
})

it('looks for few and short texts, however much was pasted', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^(0x)?[0-9a-f-]{0,600}$/), fc.boolean(), (pasted, atEnd) => {
      const probes = atEnd ? ending(pasted) : beginning(pasted)
      const typed = nearable(probes) ?? nearableEnding(probes)
      const texts = typed === null ? [] : meantBeginnings(typed)
      expect(texts.length).toBeLessThan(1_300)
      expect(Math.max(0, ...texts.map(({ length }) => length))).toBeLessThan(70)
      expect(withDigits(`${pasted}o`)?.length ?? 0).toBeLessThan(70)
    }),
  )
})

it.each([67, 68, 480])(
  'an id of %d characters may have a slip: only up to one more than the longest',
  (length) => {
    const typed = `0x${'ab'.repeat(240)}`.slice(0, length)
    expect(nearable(beginning(typed)) !== null).toBe(length === 67)
    expect(nearableEnding(ending(typed.slice(2).padEnd(length, 'c')))).toBeNull()
    expect(withDigits(typed.replace('a', 'o')) !== null).toBe(length === 67)
  },
)
