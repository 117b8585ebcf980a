import { describe, expect, it } from 'vitest'
import { type Direction, directions, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import { languages } from '#lib/platform/rules/language.ts'
import type { HeadlineFacts } from '#lib/timeline/labels/headline.ts'
import { movingSteps } from '#lib/transactions/rules/is-stuck.ts'
import { plainSpaces } from '../../../test/plain-spaces.ts'
import { customerWords } from '../sentences.ts'
import { customerHeadline, customerStep } from './customer-labels.ts'

const bought: HeadlineFacts = {
  direction: 'fiatToCrypto',
  step: 'SUCCESS',
  reason: null,
  limit: null,
  amountFiat: parseDecimal('1816.45'),
  amountCrypto: parseDecimal('2000'),
  amountRefunded: null,
  currencyFiat: 'EUR',
  currencyCrypto: 'usdc',
  chain: 'polygon',
  durationSeconds: 4_088,
  flags: [],
  stuck: false,
}

describe('what customers read of a transaction', () => {
  it.each([
    ['en', 'You exchanged €1,816.45 for 2,000 USDC on Polygon · took 68 min 8 s'],
    ['de', 'Sie haben 1.816,45 € in 2.000 USDC auf Polygon getauscht · Dauer 68 Min. 8 Sek.'],
    ['es', 'Cambió 1816,45 € por 2000 USDC en Polygon · tardó 68 min 8 s'],
    ['fr', 'Vous avez échangé 1 816,45 € contre 2 000 USDC sur Polygon · durée 68 min 8 s'],
    ['pt', 'Trocou 1816,45 € por 2000 USDC em Polygon · demorou 68 min 8 s'],
  ] as const)('reads well in %s', (language, sentence) => {
    expect(plainSpaces(customerHeadline(customerWords(language), bought))).toBe(sentence)
  })

  it.each(languages)('says in %s that a late transaction takes longer than usual', (language) => {
    const words = customerWords(language)
    for (const direction of directions)
      for (const step of stepsOf[direction].filter((one) => movingSteps.some((moving) => moving === one))) {
        const late = customerHeadline(words, { ...bought, direction, step, stuck: true })
        expect(late).toMatch(/longer|länger|más de lo|plus long|mais do que/)
        expect(late).not.toBe(customerHeadline(words, { ...bought, direction, step }))
        const { label, meaning, tone } = customerStep(words, direction, step, null, { stuck: true })
        const inTime = customerStep(words, direction, step)
        expect([label, tone]).toEqual([inTime.label, 'wait'])
        expect(meaning).toBe(`${inTime.meaning} ${words('steps.late.meaning')}`)
      }
  })

  it('names the amounts and currencies that are known so far', () => {
    const early = { ...bought, step: 'PENDING', amountCrypto: null, durationSeconds: null }
    expect(customerHeadline(customerWords('en'), early)).toBe('€1,816.45 to USDC: created')
    expect(
      customerHeadline(customerWords('en'), {
        ...early,
        amountFiat: null,
        currencyFiat: null,
        currencyCrypto: null,
      }),
    ).toBe('Fiat to stablecoin: created')
    expect(customerHeadline(customerWords('en'), { ...bought, durationSeconds: null })).toBe(
      'You exchanged €1,816.45 for 2,000 USDC on Polygon',
    )
    expect(customerHeadline(customerWords('en'), { ...bought, flags: ['conflict'] })).not.toContain(
      'exchanged',
    )
  })

  it('has words of its own for every step of both directions', () => {
    for (const language of languages) {
      const unnamed = customerStep(customerWords(language), null, 'NEW_STEP')
      for (const direction of directions) {
        for (const step of stepsOf[direction]) {
          expect(customerStep(customerWords(language), direction, step).label).not.toBe(unnamed.label)
        }
      }
    }
  })
})

describe.each(languages)('a hold in %s', (language) => {
  const sentence = (direction: Direction | null, reason: string | null) =>
    customerStep(customerWords(language), direction, 'ON_HOLD', reason)

  it.each(['ON_HOLD_PROCESS', 'ON_HOLD_AML', 'ON_HOLD_SENDER_NAME_MISMATCH', 'ON_HOLD_SOMETHING_NEW'])(
    'for %s reads as one without a reason, in either direction',
    (reason) => {
      for (const direction of [...directions, null]) {
        expect(sentence(direction, reason)).toEqual(sentence('fiatToCrypto', null))
      }
    },
  )

  it('says when it is for verification, since only its customer can end it', () => {
    expect(sentence('fiatToCrypto', 'ON_HOLD_KYC').meaning).not.toBe(sentence('fiatToCrypto', null).meaning)
    expect(sentence('cryptoToFiat', 'ON_HOLD_KYC')).toEqual(sentence('fiatToCrypto', 'ON_HOLD_KYC'))
  })

  it('has the same headline for every reason', () => {
    const held = (reason: string | null) =>
      customerHeadline(customerWords(language), { ...bought, step: 'ON_HOLD', reason })
    expect(new Set([null, 'ON_HOLD_PROCESS', 'ON_HOLD_AML', 'ON_HOLD_KYC'].map(held)).size).toBe(1)
  })
})
