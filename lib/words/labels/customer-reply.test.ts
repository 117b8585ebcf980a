import { describe, expect, it } from 'vitest'
import { hintsAtCheck } from '#lib/access/rules/hints-at-check.ts'
import { stepReasons } from '#lib/deliveries/rules/event-states.ts'
import { directions, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import { languages } from '#lib/platform/rules/language.ts'
import type { HeadlineFacts } from '#lib/timeline/labels/headline.ts'
import { movingSteps } from '#lib/transactions/rules/is-stuck.ts'
import { plainSpaces } from '../../../test/plain-spaces.ts'
import { customerWords } from '../sentences.ts'
import { customerReply, type ReplyFacts } from './customer-reply.ts'

const bought: HeadlineFacts = {
  direction: 'fiatToCrypto',
  step: 'PENDING',
  reason: null,
  limit: null,
  amountFiat: parseDecimal('255.86'),
  amountCrypto: null,
  amountRefunded: null,
  currencyFiat: 'EUR',
  currencyCrypto: 'usdc',
  chain: 'polygon',
  durationSeconds: null,
  flags: [],
  stuck: false,
}
const facts: ReplyFacts = { reference: '2046967a-c5a1', verificationUrl: null, usual: null }
const reply = (given: Partial<HeadlineFacts>, more: Partial<ReplyFacts> = {}, words = customerWords('en')) =>
  plainSpaces(customerReply(words, { ...bought, ...given }, { ...facts, ...more })).split('\n')

describe('the reply to a customer', () => {
  it('says what happened, what to do, and the reference', () => {
    expect(reply({ step: 'CRYPTO_TRANSFER_ISSUED' })).toEqual([
      'About your transaction: €255.86 to USDC.',
      'Your stablecoin was sent to the network.',
      'You do not need to do anything.',
      'Reference: 2046967a-c5a1',
    ])
    expect(reply({ step: 'SUCCESS', amountCrypto: parseDecimal('260'), durationSeconds: 48 })[0]).toBe(
      'You exchanged €255.86 for 260 USDC on Polygon · took 48 s',
    )
  })

  it('gives the usual duration while the transaction moves, and not while it is on hold', () => {
    const usual = { usualSeconds: 40, mostSeconds: 180, count: 90 }
    expect(reply({ step: 'IN_PROGRESS' }, { usual }).at(-2)).toBe(
      'Usually takes about 40 s, nearly always less than 3 min.',
    )
    expect(reply({ step: 'ON_HOLD' }, { usual })).toEqual(reply({ step: 'ON_HOLD' }))
  })

  it.each(languages)(
    'in %s: of a late one it says so, and neither how quick others were nor that all is well',
    (language) => {
      const words = customerWords(language)
      const usual = { usualSeconds: 54, mostSeconds: 69, count: 90 }
      for (const direction of directions)
        for (const step of stepsOf[direction].filter((one) => movingSteps.some((moving) => moving === one))) {
          const late = reply({ direction, step, stuck: true }, { usual }, words)
          expect(late.join('\n')).toContain(words('steps.late.meaning'))
          expect(late).toContain(words('reply.late'))
          expect(late).not.toContain(words('reply.nothingToDo'))
          expect(late.join('\n')).not.toMatch(/\b(54|1\D*min\D*9)\b/)
        }
    },
  )

  it('asks the customer to verify themselves during a hold for verification, with the address if it is known', () => {
    const held = { step: 'ON_HOLD', reason: 'ON_HOLD_KYC' }
    expect(reply(held)).toContain('Please verify your identity. If you do not know how, ask us.')
    expect(reply(held, { verificationUrl: 'https://verify.example' })).toContain(
      'Please verify your identity here: https://verify.example',
    )
  })

  it.each(languages)('asks nothing in %s of a customer whom the provider verifies', (language) => {
    const words = customerWords(language)
    const held = { step: 'ON_HOLD', reason: 'ON_HOLD_KYC', turn: 'provider' } as const
    const lines = reply(held, { verificationUrl: 'https://verify.example' }, words)
    expect(lines).toContain(words('steps.verificationHold'))
    expect(lines).not.toContain(words('reply.verify'))
    expect(lines.join('')).not.toContain('https://verify.example')
  })

  it('gives the amount of a refund', () => {
    expect(reply({ step: 'REFUNDED', amountRefunded: parseDecimal('255.86') })).toContain('Refunded: €255.86')
  })

  it('gives the refunded part of the whole amount, and marks a refund that is only reported', () => {
    expect(reply({ step: 'REFUNDED', amountRefunded: parseDecimal('97.5') })).toContain(
      'Refunded: €97.50 of €255.86',
    )
    expect(reply({ step: 'FAILED', amountRefunded: parseDecimal('255.86') })).toContain(
      'Refund reported: €255.86',
    )
  })

  it.each(languages)('tells in %s a refund of a part as a part, and no other as one', (language) => {
    const words = customerWords(language)
    for (const direction of directions) {
      const refunded = (amount: string | null) =>
        reply(
          {
            ...{ direction, step: 'REFUNDED', amountCrypto: parseDecimal('255.86') },
            amountRefunded: parseDecimal(amount),
          },
          {},
          words,
        )
      const [whole, part] = [
        words(`steps.${direction}.REFUNDED.meaning`),
        words(`steps.refundedInPart.${direction}`),
      ]
      expect(refunded('1')).toContain(part)
      expect(refunded('1')).not.toContain(whole)
      for (const amount of ['255.86', null]) expect(refunded(amount)).toContain(whole)
    }
  })

  it.each(languages)('claims in %s no refund of 0, below 0, or above the paid amount', (language) => {
    const words = customerWords(language)
    for (const amount of ['0', '0.00', '-1', '255.87']) {
      const said = reply({ step: 'REFUNDED', amountRefunded: parseDecimal(amount) }, {}, words)
      expect(said).toContain(words('steps.unsettled.meaning'))
      expect(said.join('\n')).not.toContain(words('amounts.refunded'))
      expect(said.join('\n')).not.toContain(words('steps.fiatToCrypto.REFUNDED.meaning'))
    }
  })

  const flagged = { amountRefunded: null, flags: ['amount-not-readable'] }

  it.each(languages)('names in %s at no step a refund below 0 or above the paid amount', (language) => {
    const words = customerWords(language)
    for (const direction of directions)
      for (const step of stepsOf[direction]) {
        const without = reply({ direction, step, amountCrypto: parseDecimal('255.86') }, {}, words)
        for (const amount of ['-5', '-0.01', '255.87', '1e3'].map(parseDecimal)) {
          const facts = { direction, step, amountCrypto: parseDecimal('255.86'), amountRefunded: amount }
          const said = reply(facts, {}, words).join('\n')
          for (const name of ['amounts.refunded', 'amounts.refundReported'] as const)
            expect(said, `${step} ${amount}`).not.toContain(words(name))
          if (step !== 'REFUNDED') expect(said.split('\n')).toEqual(without)
        }
      }
  })

  it.each(languages)('calls in %s no transaction refunded whose refund may be unreadable', (language) => {
    const words = customerWords(language)
    for (const direction of directions)
      for (const step of stepsOf[direction]) {
        const said = reply({ direction, step, ...flagged }, {}, words)
        expect(said.includes(words('steps.unsettled.meaning')), step).toBe(step === 'REFUNDED')
        expect(said.join('\n')).not.toContain(words(`steps.${direction}.REFUNDED.meaning`))
      }
    // The amount that came in is what cannot be read, so nobody knows that the refund is not larger.
    const open = { ...flagged, amountFiat: null, amountRefunded: parseDecimal('97.5') }
    expect(reply({ ...open, step: 'REFUNDED' }, {}, words)).toContain(words('steps.unsettled.meaning'))
    expect(reply({ ...open, step: 'FAILED' }, {}, words).join('\n')).not.toContain('97')
    // Another amount cannot be read: the refund is as sure as ever.
    const sure = { ...flagged, step: 'REFUNDED', amountRefunded: parseDecimal('255.86') }
    expect(reply(sure, {}, words)).not.toContain(words('steps.unsettled.meaning'))
  })

  it.each(languages)('says in %s of no reported refund that there is nothing to do', (language) => {
    const words = customerWords(language)
    for (const direction of directions)
      for (const step of stepsOf[direction].filter((one) => one !== 'REFUNDED' && one !== 'ON_HOLD')) {
        const facts = {
          direction,
          step,
          amountCrypto: parseDecimal('300'),
          amountRefunded: parseDecimal('97.5'),
        }
        const said = reply(facts, {}, words)
        expect(said, step).toContain(words('reply.weAsk'))
        expect(said, step).not.toContain(words('reply.nothingToDo'))
      }
  })

  it('names the minimum and its currency after a breached limit, and promises help', () => {
    const breached = { direction: 'cryptoToFiat', step: 'LIMIT_BREACHED', limit: parseDecimal('1') } as const
    expect(reply(breached)).toEqual(
      expect.arrayContaining([
        'What you sent is below the minimum for this chain. We will help you from here.',
        'Minimum: 1 USDC',
      ]),
    )
    expect(reply({ ...breached, currencyCrypto: null })).toContain('Minimum: 1 (currency not given)')
    for (const language of languages) {
      expect(reply(breached, {}, customerWords(language)).join('\n')).toMatch(/: 1 USDC$/m)
    }
  })

  it.each(languages)('has one text in %s for every other hold, and never hints at a check', (language) => {
    const words = customerWords(language)
    for (const direction of directions) {
      const texts = new Set(
        [...stepReasons, 'ON_HOLD_AML', 'ON_HOLD_NAME_MISMATCH', null]
          .filter((reason) => reason !== 'ON_HOLD_KYC')
          .map((reason) => reply({ direction, step: 'ON_HOLD', reason }, {}, words).join('\n')),
      )
      expect(texts.size).toBe(1)
      for (const step of [...stepsOf[direction], 'PARKED', null]) {
        const text = reply({ direction, step }, {}, words).join('\n')
        expect(hintsAtCheck(text)).toBeNull()
        expect(text).toContain('2046967a-c5a1')
        if (language !== 'en') expect(text).not.toMatch(/\b(your|you|reference)\b/i)
      }
    }
  })

  it('uses the merchant’s own sentences', () => {
    const own = customerWords('de', {
      'steps.fiatToCrypto.ON_HOLD.meaning': 'Wir melden uns.',
      'reply.about': 'Ihr Auftrag {given}:',
    })
    expect(reply({ step: 'ON_HOLD', reason: 'ON_HOLD_PROCESS' }, {}, own)).toEqual([
      'Ihr Auftrag 255,86 €:',
      'Wir melden uns.',
      'Referenz: 2046967a-c5a1',
    ])
  })
})
