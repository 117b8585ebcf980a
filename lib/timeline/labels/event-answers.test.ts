import { describe, expect, it } from 'vitest'
import { isForCustomers } from '#lib/access/rules/events.ts'
import { hintsAtCheck } from '#lib/access/rules/hints-at-check.ts'
import { statesOf, stepReasons } from '#lib/deliveries/rules/event-states.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { directions, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { languages } from '#lib/platform/rules/language.ts'
import { movingSteps } from '#lib/transactions/rules/is-stuck.ts'
import { customerWords } from '#lib/words/sentences.ts'
import { customerAnswer } from './event-answers.ts'
import { eventRefund } from './event-facts.ts'
import { eventLabel, type ShownKind } from './event-labels.ts'

const answer = (event: ShownKind) => customerAnswer(event, customerWords('en'))
const hint = /aml|launder|check|name|mismatch|duplicate|suspic|complian|provider|review|entity/i

describe('what can be told to the customer', () => {
  const all = eventTypes.flatMap((type) =>
    statesOf[type].map((state) => [type, { type, subType: state, status: state }] as const),
  )

  it.each(all)('of %s %j has an answer: what to say, and who must act', (type, event) => {
    const { say, act, caution, back } = answer(event)
    if (type !== 'walletCreated') expect(say).toMatch(/^[A-Z].+\.$/)
    expect(act).toMatch(/\.$/)
    if (directions.some((one) => one === type)) expect(back).toMatch(/\.$/)
    if (!isForCustomers(type) && type !== 'otpNotification' && type !== 'KYB') expect(caution).not.toBeNull()
  })

  it.each(languages)(
    'of a check, a duplicate, a name that differs and a hold is the same neutral sentence in %s',
    (language) => {
      const words = customerWords(language)
      const said = (event: ShownKind) => customerAnswer(event, words)
      const neutral = said({ type: 'fiatToCrypto', subType: 'ON_HOLD', status: null }).say
      expect(neutral).not.toMatch(hint)
      for (const type of ['AML', 'duplicateUser', 'senderNameMismatch', 'entityStatusUpdate'])
        for (const state of ['FAILED', 'IN_REVIEW', 'ANYTHING', null]) {
          const { say, back } = said({ type, subType: state, status: state })
          expect(say).toBe(neutral)
          expect(back ?? '').not.toMatch(hint)
        }
      for (const type of directions)
        for (const reason of [...stepReasons, 'ON_HOLD_AML', 'ON_HOLD_NAME_MISMATCH', null])
          if (reason !== 'ON_HOLD_KYC')
            expect(said({ type, subType: 'ON_HOLD', status: reason }).say, reason ?? '').toBe(neutral)
    },
  )

  it('of a check is what its transaction says, and that compliance acts where the transaction asks nobody', () => {
    const failed = { type: 'AML', subType: 'statusUpdate', status: 'FAILED' }
    const of = (transaction: ShownKind) => answer({ ...failed, transaction })
    const at = (subType: string, more: Partial<ShownKind> = {}) => ({
      ...{ type: 'cryptoToFiat', subType, status: null, ...more },
    })
    for (const subType of stepsOf.cryptoToFiat)
      expect(of(at(subType))).toMatchObject({
        ...{ say: answer(at(subType)).say, back: answer(at(subType)).back },
        caution: answer(failed).caution,
      })
    expect(of(at('SUCCESS')).act).toMatch(/^Compliance must act/)
    expect(of(at('FAILED')).act).toMatch(/^Ask the provider about a refund/)
    expect(of(at('IN_PROGRESS', { stuck: true })).act).toMatch(/longer than usual/)
    expect(of(at('SUCCESS', { flags: ['conflict'] })).back).toMatch(/^Unknown/)
  })

  it.each(languages)('of a late one is in %s that it is late, and that somebody must act', (language) => {
    const words = customerWords(language)
    for (const type of directions)
      for (const subType of stepsOf[type].filter((step) => movingSteps.some((moving) => moving === step))) {
        const { say, act } = customerAnswer({ type, subType, status: subType, stuck: true }, words)
        expect(say).toContain(words('steps.late.meaning'))
        expect(say).not.toContain(words('reply.nothingToDo'))
        expect(act).toMatch(/longer than usual.*[Aa]sk the provider/)
      }
  })

  it('says beside a late transaction of no event that nobody has to act', () => {
    for (const [, event] of all)
      expect(eventLabel({ ...event, stuck: true }).next ?? '').not.toMatch(/^Nobody/)
  })

  it('of a hold for verification is that the customer must act', () => {
    expect(answer({ type: 'cryptoToFiat', subType: 'ON_HOLD', status: 'ON_HOLD_KYC' })).toMatchObject({
      say: 'This is paused until your verification is complete. Please verify your identity. If you do not know how, ask us.',
      act: 'The customer must finish verification; their page shows how far it is.',
      caution: null,
    })
  })

  it('claims of no step but a refund that money goes back or stays', () => {
    for (const type of directions)
      for (const subType of stepsOf[type]) {
        const back = answer({ type, subType, status: null }).back ?? ''
        if (subType === 'REFUNDED') expect(back).toMatch(/^Yes: it was refunded\./)
        else expect(back, subType).toMatch(/^(No refund is reported|Not reported yet)/)
        expect(back, subType).not.toMatch(/goes back|go back|nothing was received|on its way/i)
      }
  })

  it('of outcomes that contradict each other is neither, until the provider says which holds', () => {
    for (const subType of ['SUCCESS', 'FAILED'])
      expect(answer({ type: 'fiatToCrypto', subType, status: null, flags: ['conflict'] })).toEqual({
        say: 'We are checking how this transaction ended, and will tell you.',
        back: 'Unknown: the events contradict each other.',
        act: 'Ask the provider which outcome is right.',
        caution: 'Say only this until the provider has answered.',
      })
  })

  it('of what has no words is to ask the provider', () => {
    expect(answer({ type: 'brandNew', subType: 'X', status: null })).toEqual({
      say: null,
      back: null,
      act: 'Ask the provider.',
      caution: null,
    })
    expect(answer({ type: 'fiatToCrypto', subType: 'PARKED', status: null }).back).toBe(
      'Not reported: ask the provider.',
    )
  })

  it.each(languages)('is said in %s too, without a hint', (language) => {
    const words = customerWords(language)
    for (const [, event] of all) {
      const { say } = customerAnswer(event, words)
      if (say === null) continue
      expect(hintsAtCheck(say)).toBeNull()
      if (language !== 'en') expect(say).not.toBe(answer(event).say)
    }
  })

  it('is said in the merchant’s own words', () => {
    const words = customerWords('en', {
      'steps.cryptoToFiat.SUCCESS.meaning': 'Your money has landed.',
      'told.KYC.FULL_USER': 'Welcome aboard.',
      'steps.fiatToCrypto.ON_HOLD.meaning': 'We will be in touch.',
    })
    const says = (type: string, state: string) =>
      customerAnswer({ type, subType: state, status: state }, words).say
    expect(says('cryptoToFiat', 'SUCCESS')).toBe('Your money has landed. You do not need to do anything.')
    expect(says('KYC', 'FULL_USER')).toBe('Welcome aboard.')
    expect(says('AML', 'FAILED')).toBe('We will be in touch.')
  })

  it('denies no refund that an event names, and claims none of 0 or of more than came in', () => {
    for (const step of stepsOf.fiatToCrypto.filter((one) => one !== 'REFUNDED')) {
      expect(reported(step, 100).back).toMatch(/^A refund of €100.00 is reported/)
      expect(reported(step, -5).back).toMatch(/^A refund of -5, which is less than nothing, is reported/)
      expect(reported(step, 120).back).toMatch(/^A refund of 120, which is more than came in, is reported/)
      for (const amount of [100, -5, 120, '97,50'])
        if (step !== 'ON_HOLD') expect(reported(step, amount).act, step).toMatch(/^Ask the provider/)
      expect(reported(step, '97,50').back).toMatch(/^A refund may be reported, but an amount is not readable/)
    }
    expect(reported('FAILED', 0).back).toMatch(/^Not reported yet/)
    expect(reported('REFUNDED', 97.5).back).toMatch(/^Yes, in part: €97.50 of €100.00 was refunded\./)
    expect(reported('REFUNDED', 97.5).say).toBe('A part of your money was refunded to you.')
    expect(reported('REFUNDED', 100).say).toBe('Your money was refunded to you.')
    for (const amount of [0, -5, 120, ' 120 ', '0,00']) {
      expect(reported('REFUNDED', amount).back, String(amount)).toMatch(/^Unconfirmed/)
      expect(reported('REFUNDED', amount).say).toBe(customerWords('en')('steps.unsettled.meaning'))
    }
  })

  it('of a hold for verification is still that the customer must act, whatever refund is reported', () => {
    const held = { type: 'fiatToCrypto', subType: 'ON_HOLD', status: 'ON_HOLD_KYC' }
    const body = JSON.stringify({ data: { amountRefunded: 3 } })
    const refund = eventRefund({ ...held, body, flags: [] })
    expect(answer({ ...held, refund }).act).toBe(answer(held).act)
  })

  it('of a finished transaction with a reported refund is not that there is nothing to do', () => {
    expect(reported('SUCCESS', 100).say).toBe(
      'Completed. We are finding out whether your money comes back to you, and will tell you.',
    )
    expect(reported('SUCCESS', 120).say).toBe('Completed. You do not need to do anything.')
  })
})

function reported(subType: string, amountRefunded: unknown) {
  const data = { amountFiat: 100, currencyFiat: 'EUR', amountRefunded }
  const flags =
    typeof amountRefunded === 'string' && amountRefunded.includes(',') ? ['amount-not-readable'] : []
  const event = { type: 'fiatToCrypto', subType, status: null, flags }
  return answer({ ...event, refund: eventRefund({ ...event, body: JSON.stringify({ data }) }) })
}
