import { SearchParamsContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime.js'
import { type ComponentProps, createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { EventFacts } from '#components/timeline/event-facts.tsx'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { upTo } from '#lib/platform/paging/paging.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { toParties } from '#lib/timeline/tables/transaction.ts'
import type { TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import type { VerificationTurn } from '#lib/transactions/rules/circumstances.ts'
import { clientMessages, customerWords } from '#lib/words/sentences.ts'
import { AccountHeading } from './accounts/[id]/account.tsx'
import { EventTimeline } from './event-timeline.tsx'
import { MoneyCard } from './transactions/[uuid]/cards.tsx'
import {
  replyTexts,
  Heading as TransactionHeading,
  transactionProviderText,
} from './transactions/[uuid]/heading.tsx'
import { stepFacts, UsuallyNext } from './transactions/[uuid]/step-rail.tsx'

const at = '2026-02-01T00:33:58.000Z'
const id = '0f6fb6a3-5f5c-4a4b-9d4c-2b3f6c7d8e9f'
const latestWord = /<\/h1>.*Latest: .*received again .* \(retry or repeat\)/

const event = (type: string, subType: string, status: string | null, doubt: boolean): EventDetailsView => ({
  id: '1',
  subjectId: `transaction:${id}`,
  type,
  subType,
  status,
  entityUuid: null,
  firstReceivedAt: at,
  lastReceivedAt: at,
  placedBefore: null,
  cameAgainId: '1',
  cameAgainAt: at,
  deliveries: 2,
  unreadable: null,
  flags: doubt ? ['decisive', 'order-unsure'] : ['order-unsure'],
  transactionUuid: null,
  userEmail: null,
  restricted: false,
  position: 0,
  rank: 1,
  body: null,
  wholeBody: 'plain',
  bodyLeft: null,
  received: [],
})

const html = (shown: ReactNode) => {
  const children = createElement(SearchParamsContext, { value: new URLSearchParams() }, shown)
  const messages = clientMessages('en', ['ui'])
  return renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages, children }))
}

it('an account shows below its headline that its status is in doubt', () => {
  const heading = (doubt: boolean) =>
    html(
      createElement(AccountHeading, {
        account: {
          subject: { kind: 'bank-account', id },
          account: null,
          transactions: [],
          total: upTo(0),
          events: [event('linkBankAccount', 'statusUpdate', 'ACTIVE', doubt)],
        },
      }),
    )
  expect(heading(true)).toMatch(latestWord)
  expect(heading(false)).not.toContain('Latest')
})

const transaction: TransactionDetailsView = {
  subjectId: `transaction:${id}`,
  uuid: id,
  direction: 'fiatToCrypto',
  step: 'ON_HOLD',
  reason: null,
  flags: ['order-unsure'],
  amountFiat: '10',
  amountCrypto: null,
  amountRefunded: null,
  fees: null,
  limit: null,
  currencyFiat: 'EUR',
  currencyCrypto: 'USDC',
  chain: null,
  transactionHash: null,
  userUuid: null,
  userEmail: null,
  startedAt: at,
  lastMoveAt: at,
  finishedAt: null,
  stuck: false,
  parties: toParties({}),
  lastReceivedAt: at,
  durationSeconds: null,
  turn: null,
  revealable: [],
  events: [],
}

const transactionHeading = (
  events: readonly EventDetailsView[],
  given: Partial<TransactionDetailsView> = {},
  first: Language | null = null,
) =>
  html(
    createElement(TransactionHeading, {
      transaction: { ...transaction, ...given, events },
      mayReplay: false,
      mayMove: false,
      inAll: { newer: null, older: null },
      reply: { texts: [], first },
      words: { all: [customerWords('en'), customerWords('de')], first },
    }),
  )

it('a transaction shows below its headline that its step is in doubt', () => {
  const heading = (doubt: boolean) => transactionHeading([event('fiatToCrypto', 'ON_HOLD', null, doubt)])
  expect(heading(true)).toMatch(latestWord)
  expect(heading(false)).not.toContain('Latest')
})

const held = event('fiatToCrypto', 'ON_HOLD', 'ON_HOLD_PROCESS', false)
const said = (...of: Parameters<typeof transactionHeading>) =>
  transactionHeading(...of).replaceAll(/<[^>]+>/g, '')

it.each<[VerificationTurn | null, headline: string, next: string, say: RegExp, not: RegExp]>([
  [
    'customer',
    'the customer must finish verification',
    'The customer must finish verification; their page shows how far it is.',
    /paused until your verification is complete\.\s*Please verify your identity/,
    /release/,
  ],
  [null, 'the customer must finish verification', 'must finish', /Please verify your identity/, /release/],
  [
    'provider',
    'the customer is being verified, waiting for the provider',
    'No action needed here. The provider decides on the verification.',
    /This is paused until your verification is complete\./,
    /must finish|[Pp]lease verify/,
  ],
  [
    'verified',
    'the customer is verified, ask the provider to release it',
    'The customer is verified by now: ask the provider to release it.',
    /This is paused\. Your account shows/,
    /must finish|verify|your verification/,
  ],
  [
    'refused',
    'the customer was refused or suspended, ask the provider what is needed',
    'The customer was refused or suspended: ask the provider what is needed.',
    /This is paused\. Your account shows/,
    /must finish|verify|your verification/,
  ],
])(
  'of a hold for KYC it is the turn of: %s, in the heading, below it and in the reply',
  (turn, ...expected) => {
    const [headline, next, say, not] = expected
    const given = { reason: 'ON_HOLD_KYC', turn }
    const events = [event('fiatToCrypto', 'ON_HOLD', 'ON_HOLD_KYC', false)]
    const below = textOf(
      html(
        createElement(EventTimeline, {
          ...{ events, transaction: { ...transaction, ...given }, mayReplay: false },
          words: { all: [customerWords('en')], first: null },
        }),
      ),
    )
    const [reply] = replyTexts({ ...transaction, ...given, events: [] }, [customerWords('en')], null, null)
    expect(said(events, given)).toContain(headline)
    expect(below).toContain(next)
    for (const text of [said(events, given), below, reply?.text ?? '']) {
      expect(text).toMatch(say)
      expect(text).not.toMatch(not)
    }
  },
)

it('staff see below the headline what to read aloud, in the customer’s language', () => {
  const failed = { step: 'FAILED', reason: 'PROCESS_FAILED' }
  expect(said([held], failed)).toContain(
    'ask the providerTell the customer: “This could not be completed. We will help you from here. We are finding out whether your money',
  )
  expect(said([held], failed, 'de')).toContain(
    'Tell the customer (German): “Der Vorgang konnte nicht abgeschlossen werden.',
  )
  expect(said([held], failed, 'de')).toContain('In English: This could not be completed. We will help you')
  expect(said([held], failed)).not.toContain('In English')
})

it('what to read aloud claims no refund that the headline doubts', () => {
  const doubtful = [
    { amountRefunded: '120' },
    { amountRefunded: '-5' },
    { flags: ['amount-not-readable'] as const },
  ]
  for (const given of doubtful) {
    const text = said([held], { step: 'REFUNDED', ...given })
    expect(text).toMatch(/Called refunded.*Tell the customer: “We are checking how this transaction ended/)
    expect(text).not.toContain('Your money was refunded')
  }
  expect(said([held], { step: 'SUCCESS', amountRefunded: '10' })).toMatch(
    /a refund of €10\.00 is reported.*“Completed\. We are finding out whether your money comes back/,
  )
})

it.each<[Partial<TransactionDetailsView>, what: RegExp, back: RegExp, not: RegExp, facts: RegExp]>([
  [
    { amountRefunded: '97.5' },
    /€97\.50 of €100\.00/,
    /Yes, in part: €97\.50 of €100\.00/,
    /Yes: it was/,
    /refunded€97\.50of €100\.00/,
  ],
  [
    { amountRefunded: '120' },
    /more than came in/,
    /Unconfirmed/,
    /Yes: it was|Your money was|No action needed/,
    /refunded120 /,
  ],
  [
    { amountFiat: null, amountRefunded: '97.5', flags: ['amount-not-readable'] },
    /Called refunded/,
    /Unconfirmed/,
    /Yes: it was|Your money was|No action needed/,
    /refunded97\.5 /,
  ],
])('the event that refunds %j says of it what the heading does', (given, what, back, not, facts) => {
  const ofRefund = (id: string, subType: string, data: object): EventDetailsView => ({
    ...event('fiatToCrypto', subType, subType, false),
    ...{ id, flags: [], cameAgainId: null, cameAgainAt: null },
    ...{ rank: subType === 'PENDING' ? 0 : 4, body: JSON.stringify({ data }) },
  })
  const { amountRefunded } = given
  const events = [
    ofRefund('1', 'PENDING', { amountFiat: 100, currencyFiat: 'EUR' }),
    ofRefund('2', 'REFUNDED', { amountRefunded: Number(amountRefunded) }),
  ]
  const refunded: TransactionDetailsView = {
    ...transaction,
    ...{ step: 'REFUNDED', flags: [], amountFiat: '100', ...given, events },
  }
  const words = { all: [customerWords('en')] as const, first: null }
  const timeline = createElement(EventTimeline, {
    ...{ events, transaction: refunded, factsOf: stepFacts, mayReplay: false, words },
  })
  expect(textOf(transactionHeading(events, refunded))).toMatch(what)
  expect(textOf(html(timeline))).toMatch(back)
  expect(textOf(html(timeline))).not.toMatch(not)
  expect(textOf(html(timeline))).toMatch(facts)
})

it('a warning beside it names what the headline may say and the customer must not hear', () => {
  expect(said([held])).toContain('continues.” Say only this, whatever the reason.')
  const mismatch = event('senderNameMismatch', 'SENDER_NAME_MISMATCH', null, false)
  const refund = event('fiatToCrypto', 'REFUNDED', 'REFUNDED', false)
  const returned = said([mismatch, held, refund], { step: 'REFUNDED' })
  expect(returned).toContain('Held because the sender’s name differed, then refunded')
  expect(returned).toContain('“Your money was refunded to you.” Don’t mention the check')
  expect(said([], { step: 'SUCCESS' })).not.toMatch(/Say only|Don’t mention/)
})

const textOf = (shown: string) => shown.replaceAll(/<[^>]+>/g, '')

it.each<[type: string, step: string, reason: string | null, back: string, say: RegExp]>([
  ['senderNameMismatch', 'REFUNDED', null, 'Yes: it was refunded.', /^“Your money was refunded to you\./],
  ['AML', 'SUCCESS', null, 'No refund is reported: it is finished.', /^“Completed\./],
  ['duplicateUser', 'FAILED', null, 'Not reported yet.', /^“This could not be completed\./],
  ['AML', 'ON_HOLD', 'ON_HOLD_KYC', 'Not reported yet.', /Please verify your identity\./],
  [
    'senderNameMismatch',
    'ON_HOLD',
    'ON_HOLD_PROCESS',
    'Not reported yet.',
    /^“This is paused\. Your account/,
  ],
])(
  'below %s at %s the customer is told of the status of the transaction alone',
  (type, step, reason, back, say) => {
    const secret = event(type, 'FAILED', 'FAILED', false)
    const below = textOf(
      html(
        createElement(EventTimeline, {
          ...{ events: [secret], transaction: { ...transaction, step, reason }, mayReplay: false },
          words: { all: [customerWords('en')], first: null },
        }),
      ),
    )
    const [, answer = ''] = below.split('What can I tell the customer?')
    expect(answer).toMatch(say)
    expect(answer).toContain(`Is there a refund?${back}`)
    expect(answer).toContain('Don’t mention the check or its result to the customer.')
    expect(answer.includes('paused')).toBe(step === 'ON_HOLD')
  },
)

it('below a check of a transaction without a direction the customer is told what every hold says', () => {
  const secret = event('senderNameMismatch', 'SENDER_NAME_MISMATCH', null, false)
  const shown = createElement(EventTimeline, {
    ...{ events: [secret], transaction: { ...transaction, direction: null, step: null }, mayReplay: false },
    words: { all: [customerWords('en')], first: null },
  })
  const [, answer = ''] = textOf(html(shown)).split('What can I tell the customer?')
  expect(answer).toMatch(/^“This is paused\. Your account.*Is there a refund\?Not reported yet\./)
})

it('a late transaction is called late in its heading, in the reply and beside its events, without a usual time', () => {
  const moving = [event('fiatToCrypto', 'IN_PROGRESS', null, false), event('AML', 'PASSED', 'PASSED', false)]
  const late = { step: 'IN_PROGRESS', stuck: true }
  expect(said(moving, late)).toMatch(/stuck, ask the provider.*“[^”]*This is taking longer than usual\./)
  expect(said(moving, late, 'de')).toContain('Das dauert länger als üblich.')
  const words = { all: [customerWords('en')] as const, first: null }
  const beside = (stuck: boolean) =>
    textOf(
      html(
        createElement(EventTimeline, {
          events: moving,
          transaction: { ...transaction, stuck },
          mayReplay: false,
          words,
        }),
      ),
    )
  expect(beside(false)).toContain('No action needed')
  expect(beside(true)).not.toMatch(/No action needed|do not need to do anything\./)
  expect(beside(true)).toContain('This takes longer than usual. Ask the provider.')
  const usual = { count: 100, nexts: [{ step: 'SUCCESS', ofHundred: 98, halfMs: 54_000 }] }
  const next = (stuck: boolean) =>
    textOf(html(createElement(UsuallyNext, { direction: 'fiatToCrypto', usual, stuck })))
  expect(next(false)).toContain('after about 54')
  expect(next(true)).not.toContain('54')
})

it('the timeline of a page does not repeat what the page says above of a status', () => {
  const events = [
    event('KYB', 'statusUpdate', 'KYB_PENDING', false),
    event('KYB', 'statusUpdate', 'KYB_FAILED', false),
  ]
  const shown = (explained: ComponentProps<typeof EventTimeline>['explained'] = []) =>
    textOf(html(createElement(EventTimeline, { events, explained, mayReplay: false })))
  const act = 'Ask the provider why, and whether the company may try again.'
  expect(shown()).toContain(act)
  const once = shown([{ type: 'KYB', state: 'KYB_FAILED' }])
  expect(once).not.toContain(act)
  expect(once).toContain(eventLabel({ type: 'KYB', subType: null, status: 'KYB_PENDING' }).meaning)
})

it('fees say, wherever staff read or copy them, that nobody gave their currency', () => {
  const given = { ...transaction, fees: '0.0319' }
  const body = JSON.stringify({
    data: { fees: 0.0319, amountRefunded: 4, amountFiat: 5, currencyFiat: 'EUR' },
  })
  const stated = '0.0319 (currency not given)'
  expect(textOf(html(createElement(MoneyCard, { transaction: given })))).toContain(stated)
  const facts = textOf(html(createElement(EventFacts, { event: { type: 'fiatToCrypto', body } })))
  expect(facts).toContain(stated)
  expect(facts).toContain('€5.00')
  expect(facts).not.toContain('€5.00 (')
  expect(transactionProviderText(given)).toContain(`fees: ${stated}`)
})
