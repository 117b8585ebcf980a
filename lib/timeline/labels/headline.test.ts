import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Direction, directions, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { languages } from '#lib/platform/rules/language.ts'
import { paymentWords } from '#lib/transactions/labels/payment-labels.ts'
import { circumstancesOf } from '#lib/transactions/rules/circumstances.ts'
import { projectTransaction } from '#lib/transactions/rules/transaction.ts'
import { customerHeadline, customerStep } from '#lib/words/labels/customer-labels.ts'
import { customerReply } from '#lib/words/labels/customer-reply.ts'
import { customerWords } from '#lib/words/sentences.ts'
import { foldSamples, step, transactionUuid } from '../../../test/sample-deliveries.ts'
import { customerAnswer } from './event-answers.ts'
import { eventLabel } from './event-labels.ts'
import { type HeadlineFacts, headline, headlineLine } from './headline.ts'

const paid = {
  amountFiat: 4.76,
  currencyFiat: 'EUR',
  amountCrypto: 5,
  currencyCrypto: 'usdc',
  chain: 'polygon',
}
const mismatch = { ...step('SENDER_NAME_MISMATCH'), type: 'senderNameMismatch' }
const checked = (subType: string) => ({ ...step(subType), type: 'AML' })

describe('headline', () => {
  it.each<[object[], string]>([
    [[step('PENDING', paid)], 'Created 0 s ago, awaiting processing'],
    [[step('IN_PROGRESS', paid)], 'Fiat received, processing for 0 s'],
    [[step('CRYPTO_TRANSFER_ISSUED', paid)], 'Stablecoin sent to the network 0 s ago'],
    [[step('PENDING', paid), step('SUCCESS')], '€4.76 became 5 USDC on Polygon, finished in 48\u00a0s'],
    [[step('SUCCESS', paid)], '€4.76 became 5 USDC on Polygon'],
    [[step('SUCCESS', { amountFiat: 4.76 })], '4.76 to stablecoin: completed'],
    [
      [step('PENDING', paid), step('SUCCESS', { amountFiat: '4,76' })],
      'EUR to 5 USDC: completed; an amount is not readable: see its events',
    ],
    [
      [step('ON_HOLD', { status: 'ON_HOLD_KYC' })],
      'Held for KYC for 0 s: the customer must finish verification',
    ],
    [
      [step('ON_HOLD', { status: 'ON_HOLD_PROCESS' }), step('KYC')],
      'On hold at the provider for 48 s: waiting for the provider',
    ],
    [
      [mismatch, step('ON_HOLD', { status: 'ON_HOLD_PROCESS' })],
      'Held for 0 s because the sender’s name differed: ask the provider what is needed',
    ],
    [
      [checked('FAILED'), step('ON_HOLD', { status: 'ON_HOLD_PROCESS' })],
      'Held after an AML check for 0 s: ask the provider what is needed',
    ],
    // The role may not know the result of the check, even if it passed.
    [
      [checked('statusUpdate'), step('ON_HOLD', { status: 'ON_HOLD_PROCESS' })],
      'Held for 0 s, and there was an AML check: ask the provider what is needed',
    ],
    [
      [checked('statusUpdate'), step('ON_HOLD'), step('FAILED')],
      'Held, and there was an AML check, then failed 0 s ago: no refund reported, ask the provider',
    ],
    [
      [checked('statusUpdate'), step('IN_PROGRESS'), step('FAILED')],
      'Failed 0 s ago: no refund reported, ask the provider',
    ],
    [[step('ON_HOLD', { status: 'ON_HOLD_NEW' })], 'Held (NEW) for 0 s: ask the provider what is needed'],
    [[step('ON_HOLD')], 'Held without a reason given for 0 s: ask the provider what is needed'],
    [[step('FAILED', paid)], 'Failed 0 s ago: no refund reported, ask the provider'],
    [[step('FAILED', { status: 'PROCESS_FAILED' })], 'Failed 0 s ago: no refund reported, ask the provider'],
    [
      [step('FAILED', { status: 'FAILED_NO_ROUTE' })],
      'Failed 0 s ago (NO_ROUTE): no refund reported, ask the provider',
    ],
    [
      [step('ON_HOLD', { status: 'ON_HOLD_KYC' }), step('FAILED')],
      'Held for KYC, then failed 0 s ago: no refund reported, ask the provider',
    ],
    [
      [
        mismatch,
        step('ON_HOLD', { ...paid, amountFiat: 207.71 }),
        step('REFUNDED', { amountRefunded: 207.71 }),
      ],
      'Held because the sender’s name differed, then €207.71 returned to the customer 0 s ago',
    ],
    [
      [step('FAILED', paid), step('REFUNDED', { amountRefunded: 4 })],
      'Failed, then €4.00 of €4.76 returned to the customer 0 s ago',
    ],
    [[step('REFUNDED', paid)], 'Refunded to the customer 0 s ago'],
    [
      [step('REFUNDED', { ...paid, amountRefunded: 0 })],
      'Called refunded 0 s ago, with an amount of 0: ask the provider',
    ],
    [
      [step('REFUNDED', { ...paid, amountRefunded: 120 })],
      'Called refunded 0 s ago, with an amount of 120, which is more than came in: ask the provider',
    ],
    [
      [step('FAILED', { ...paid, amountRefunded: 4.76 })],
      'Failed 0 s ago: a refund of €4.76 is reported, ask the provider whether it went back',
    ],
    [
      [step('FAILED', { ...paid, amountRefunded: 0 })],
      'Failed 0 s ago: no refund reported, ask the provider',
    ],
    [
      [step('FAILED', { ...paid, amountRefunded: -5 })],
      'Failed 0 s ago: a refund of -5, which is less than nothing, is reported, ask the provider whether it went back',
    ],
    [
      [step('FAILED', { ...paid, amountRefunded: 120 })],
      'Failed 0 s ago: a refund of 120, which is more than came in, is reported, ask the provider whether it went back',
    ],
    [
      [step('FAILED', { ...paid, amountRefunded: '97,50' })],
      'Failed 0 s ago: a refund may be reported, but an amount is not readable: see its events, ask the provider',
    ],
    [
      [step('FAILED', { ...paid, amountRefunded: 4 }), step('FAILED', { amountRefunded: '97,50' })],
      'Failed 48 s ago: a refund may be reported, but an amount is not readable: see its events, ask the provider',
    ],
    [
      [step('FAILED', { ...paid, amountRefunded: 0, fees: '1,5' })],
      'Failed 0 s ago: a refund may be reported, but an amount is not readable: see its events, ask the provider',
    ],
    [
      [step('REFUNDED', { ...paid, amountRefunded: '0,00' })],
      'Called refunded 0 s ago, but an amount is not readable: see its events, ask the provider',
    ],
    [
      [step('REFUNDED', { ...paid, amountFiat: '4,76', amountRefunded: 120 })],
      'Called refunded 0 s ago, with an amount of 120: ask the provider; an amount is not readable: see its events',
    ],
    [
      [step('SUCCESS', { ...paid, amountRefunded: 4.76 })],
      '€4.76 became 5 USDC on Polygon; a refund of €4.76 is reported, ask the provider whether it went back',
    ],
    [
      [step('IN_PROGRESS', { ...paid, amountRefunded: 120 })],
      'Fiat received, processing for 0 s; a refund of 120, which is more than came in, is reported, ask the provider whether it went back',
    ],
    [
      [step('SUCCESS', paid), step('FAILED', { amountRefunded: 4.76 })],
      '€4.76 to 5 USDC: failed, but another event says otherwise: ask the provider; a refund of €4.76 is reported, ask the provider whether it went back',
    ],
    [
      [step('NEW_STEP', { ...paid, amountRefunded: 4 })],
      '€4.76 to 5 USDC: NEW_STEP; a refund of €4.00 of €4.76 is reported, ask the provider whether it went back',
    ],
    [
      [step('IN_PROGRESS', paid), mismatch, step('REFUNDED')],
      'The sender’s name differed, then refunded to the customer 0 s ago',
    ],
    [
      [step('IN_PROGRESS', paid), { ...mismatch, type: 'AML' }, step('FAILED')],
      'An AML check, then failed 0 s ago: no refund reported, ask the provider',
    ],
    [
      [step('SUCCESS', paid), step('REFUNDED', { amountRefunded: 4.76 })],
      'Completed, then €4.76 returned to the customer 0 s ago',
    ],
    [
      [step('SUCCESS', paid), step('FAILED')],
      '€4.76 to 5 USDC: failed, but another event says otherwise: ask the provider',
    ],
    [
      [step('FAILED', paid), step('SUCCESS')],
      '€4.76 to 5 USDC: completed, but another event says otherwise: ask the provider',
    ],
    [[step('NEW_STEP', paid)], '€4.76 to 5 USDC: NEW_STEP'],
    [[mismatch], 'Transaction: no status given'],
  ])('of %j says: %s', (bodies, sentence) => {
    expect(tell(bodies)).toBe(sentence)
  })

  it.each<[string, object, string]>([
    ['SUCCESS', paid, '5 USDC on Polygon became €4.76'],
    ['IN_PROGRESS', paid, 'Stablecoin received, processing for 0 s'],
    ['FIAT_TRANSFER_ISSUED', paid, 'Fiat transfer initiated 0 s ago'],
    [
      'LIMIT_BREACHED',
      { amountCrypto: 0.8, currencyCrypto: 'USDC', chain: 'ethereum', limit: 1 },
      '0.8 USDC sent 0 s ago, below the minimum for Ethereum (limit 1 USDC): no refund reported, ask the provider',
    ],
    [
      'LIMIT_BREACHED',
      {},
      'The stablecoin amount sent 0 s ago, below the minimum for the chain: no refund reported, ask the provider',
    ],
    ['REFUNDED', { ...paid, amountRefunded: 5 }, '5 USDC returned to the customer 0 s ago'],
  ])('of the other direction at %s with %j says: %s', (subType, data, sentence) => {
    expect(tell([{ ...step(subType, { ...data, direction: 'cryptoToFiat' }), type: 'cryptoToFiat' }])).toBe(
      sentence,
    )
  })

  it.each(['ON_HOLD_KYC', 'ON_HOLD_PROCESS', 'OUTSIDE_TRANSFER_IN_REVIEW', 'ON_HOLD_NEW', null])(
    'names of a hold for %s whom its event names: the provider, or the customer',
    (status) => {
      const next = eventLabel({ type: 'fiatToCrypto', subType: 'ON_HOLD', status }).next
      const actor = status === 'ON_HOLD_KYC' ? /customer must finish verification/ : /provider/
      expect(tell([step('ON_HOLD', status === null ? {} : { status })])).toMatch(actor)
      expect(next).toMatch(actor)
    },
  )

  it('sends staff to the provider when a hold for KYC goes on though the customer is verified', () => {
    const { transaction } = factsOf([step('ON_HOLD', { status: 'ON_HOLD_KYC' })])
    expect(headline({ ...transaction, turn: 'verified' }).before).toBe(
      'Held for KYC: the customer is verified, ask the provider to release it',
    )
  })

  it('sends staff to the provider when it is stuck', () => {
    expect(tell([step('IN_PROGRESS')], true)).toBe(
      'Fiat received, processing for 0 s: stuck, ask the provider',
    )
  })

  it.each<[object, string]>([
    [
      step('ON_HOLD', { ...paid, status: 'ON_HOLD_KYC' }),
      '€4.76 to 5 USDC, held for KYC: the customer must finish verification',
    ],
    [step('FAILED', paid), '€4.76 to 5 USDC, failed: no refund reported, ask the provider'],
    [
      step('REFUNDED', { ...paid, currencyFiat: 'CHF', amountRefunded: 4.76 }),
      'CHF\u00a04.76 to 5 USDC, CHF\u00a04.76 returned to the customer',
    ],
    [step('SUCCESS', paid), '€4.76 became 5 USDC on Polygon'],
    [step('NEW_STEP', paid), '€4.76 to 5 USDC: NEW_STEP'],
  ])('names the amounts in a line of a list: %j reads %s', (body, line) => {
    expect(headlineLine(factsOf([body]).transaction)).toBe(line)
  })

  it('has no age where the step was placed by rule', () => {
    const events = [{ type: 'fiatToCrypto', subType: 'ON_HOLD', status: 'ON_HOLD_KYC', at: null }]
    const facts = factsOf([step('ON_HOLD', { status: 'ON_HOLD_KYC' })]).transaction
    expect(headline(facts, circumstancesOf(events, 'ON_HOLD'))).toEqual({
      before: 'Held for KYC: the customer must finish verification',
      since: null,
      after: '',
    })
  })
})

describe('over every path of §3.2', () => {
  it.each(directions)('%s: no words say that money went out before they may', (direction) => {
    const anyStep = fc.constantFrom(...stepsOf[direction], 'NEW_STEP')
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1, maxLength: 6 }), (path) => {
        for (let length = 1; length <= path.length; length++) checkWords(direction, path.slice(0, length))
      }),
      { numRuns: 200 },
    )
  })
})

const english = customerWords('en')

function checkWords(direction: Direction, path: readonly string[]) {
  const bodies = path.map((subType, at) => ({
    ...step(subType, { ...paid, direction, at }),
    type: direction,
  }))
  const { transaction } = factsOf(bodies)
  const { step: at, flags } = transaction
  const conflict = flags.includes('conflict')
  const { receipt, payout } = paymentWords({ direction, step: at, conflict, passed: path })
  const words = [receipt, payout, tell(bodies), customerHeadline(english, transaction)].join(' | ')
  const message = `${path.join(' > ')}: ${words}`
  const finished = at === 'SUCCESS' && !conflict
  if (conflict) checkUnsettled(transaction, message)
  expect(/(?<!be )paid out|became|exchanged/.test(words), message).toBe(finished)
  if (!path.some((one) => /IN_PROGRESS|_ISSUED|SUCCESS/.test(one)))
    expect(words, message).not.toMatch(/received|arrived/)
  if (at === 'FAILED' || at === 'REFUNDED') expect(words, message).not.toMatch(/on its way/)
}

/** When outcomes contradict each other, the customer reads none of them in any language, nor that all is done. */
function checkUnsettled(transaction: HeadlineFacts, message: string) {
  const { direction, step, reason, flags } = transaction
  for (const language of languages) {
    const words = customerWords(language)
    const { label, meaning, tone } = customerStep(words, direction, step, reason, { conflict: true })
    const said = [
      label,
      meaning,
      customerHeadline(words, transaction),
      customerReply(words, transaction, { reference: transactionUuid, verificationUrl: null, usual: null }),
      customerAnswer({ type: direction, subType: step, status: reason, flags }, words).say,
    ].join(' | ')
    expect(tone, message).toBe('wait')
    expect(said, `${language}: ${message}`).not.toMatch(finishedWords)
    for (const done of [
      'reply.nothingToDo',
      'steps.fiatToCrypto.SUCCESS.meaning',
      'steps.cryptoToFiat.SUCCESS.meaning',
    ] as const)
      expect(said, `${language}: ${message}`).not.toContain(words(done))
  }
}

/** These words say success, failure and refund. */
const finishedWords =
  /complet|finish|became|exchanged|paid|fail|refund|abgeschlossen|wurden|getauscht|cambió|échangé|trocou|erstatte|terminad|convirti|reembols|termin[ée]|abouti|converti|rembours|conclu/i

/** Half an hour between prefixes matches no retry; 48 s is as in recorded deliveries. */
function factsOf(bodies: readonly object[]) {
  const fold = foldSamples(bodies.map((body, index) => ({ at: index * 48, body })))
  const transaction = projectTransaction(fold)
  if (!transaction) throw new Error(`no transaction ${transactionUuid}`)
  return { transaction: { ...transaction, stuck: false }, events: fold.events }
}

/** The sentence is read at the time of the last event. */
function tell(bodies: readonly object[], stuck = false): string {
  const { transaction, events } = factsOf(bodies)
  const happenings = events.map(({ envelope, placedBefore, firstReceivedAt }) => ({
    type: envelope.type,
    subType: envelope.subType,
    status: statusOf(envelope.data?.get('status')),
    at: placedBefore === null ? new Date(firstReceivedAt).toISOString() : null,
  }))
  const { before, since, after } = headline(
    { ...transaction, stuck },
    circumstancesOf(happenings, transaction.step),
  )
  const age = since === null ? '' : `${(transaction.lastReceivedAt - Date.parse(since)) / 1000} s`
  return `${before}${age}${after}`
}

const statusOf = (status: unknown) => (typeof status === 'string' ? status : null)
