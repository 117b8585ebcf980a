import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { eventRefund } from '#lib/timeline/labels/event-facts.ts'
import { clientMessages } from '#lib/words/sentences.ts'
import { inRouter } from '../../../../test/in-router.ts'
import { railSteps, stepFacts } from './step-rail.tsx'

const reported = (type: string, subType: string, data: object | null) => {
  const body = data && JSON.stringify({ type, subType, data })
  const event = { type, subType, body, flags: [] }
  const children = stepFacts(event, eventRefund(event))
  const html = renderToStaticMarkup(
    inRouter(
      createElement(WordsProvider, { language: 'en', messages: clientMessages('en', ['ui']), children }),
    ),
  )
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

it('shows for a step what its own event said, whatever later ones say', () => {
  const issued = { amountCrypto: 5, currencyCrypto: 'usdc', chain: 'polygon' }
  expect(reported('fiatToCrypto', 'CRYPTO_TRANSFER_ISSUED', issued)).toBe('5 USDC')
  expect(
    reported('fiatToCrypto', 'CRYPTO_TRANSFER_ISSUED', { ...issued, transactionHash: '0xab12' }),
  ).toMatch(/^5 USDC in transaction .*0xab12/)
  const sent = { amountFiat: 4.76, currencyFiat: 'eur' }
  expect(reported('cryptoToFiat', 'FIAT_TRANSFER_ISSUED', sent)).toBe('€4.76')
  expect(reported('cryptoToFiat', 'LIMIT_BREACHED', { ...issued, limit: 10 })).toBe(
    '5 USDC sent, the limit is 10 USDC',
  )
})

it('names the currency of a refund when money goes back', () => {
  const paid = { amountFiat: 4.76, currencyFiat: 'eur' }
  expect(reported('fiatToCrypto', 'REFUNDED', { ...paid, amountRefunded: 4.76 })).toBe(
    'Amount refunded €4.76',
  )
  expect(reported('fiatToCrypto', 'REFUNDED', { ...paid, amountRefunded: 4 })).toBe(
    'Amount refunded €4.00 of €4.76',
  )
})

it('shows nothing that an event did not give', () => {
  for (const step of ['CRYPTO_TRANSFER_ISSUED', 'REFUNDED', 'PENDING'])
    for (const data of [{}, null]) expect(reported('fiatToCrypto', step, data)).toBe('')
  expect(reported('cryptoToFiat', 'LIMIT_BREACHED', {})).toBe('An amount sent, the limit is –')
})

describe('the rail agrees with the heading above it', () => {
  type Move = [subType: string, status: string | null, hour: number | null]
  const hour = (hours: number) => new Date(Date.UTC(2026, 10, 20) + hours * 3_600_000).toISOString()
  /** A move without an hour was placed before the first one by a rule. */
  const rail = (step: string, finished: boolean, ...moves: Move[]) => {
    const events = moves.map(([subType, status, at], nth) => ({
      ...{ id: `${nth}`, type: 'fiatToCrypto', subType, status, rank: null },
      firstReceivedAt: hour(at ?? 9),
      placedBefore: at === null ? hour(0) : null,
    }))
    const finishedAt = finished ? hour(moves.at(-1)?.[2] ?? 0) : null
    return railSteps({ direction: 'fiatToCrypto', step, finishedAt, events })
      .filter(({ state }) => state !== 'ahead')
      .map(({ label, state, since }) => [label, state, since])
  }
  const before: Move[] = [
    ['PENDING', null, 0],
    ['IN_PROGRESS', null, 1],
  ]
  const passed = [
    ['Pending', 'passed', null],
    ['In progress', 'passed', null],
  ]

  it.each<{ name: string; step: string; moves: Move[]; finished?: boolean; stops: unknown[] }>([
    {
      name: 'a hold that was reported again lasts from its first report',
      step: 'ON_HOLD',
      moves: [
        ['ON_HOLD', 'ON_HOLD_KYC', 2],
        ['ON_HOLD', 'ON_HOLD_KYC', 26],
      ],
      stops: [
        ['On hold', 'passed', null],
        ['On hold', 'here', hour(2)],
      ],
    },
    {
      name: 'a hold for another reason begins anew',
      step: 'ON_HOLD',
      moves: [
        ['ON_HOLD', 'ON_HOLD_PROCESS', 2],
        ['ON_HOLD', 'ON_HOLD_KYC', 26],
      ],
      stops: [
        ['On hold', 'passed', null],
        ['On hold', 'here', hour(26)],
      ],
    },
    {
      name: 'a hold that a rule placed has no age',
      step: 'ON_HOLD',
      moves: [['ON_HOLD', null, null]],
      stops: [['On hold', 'here', null]],
    },
    {
      name: 'an outcome has no age',
      step: 'SUCCESS',
      moves: [['SUCCESS', null, 3]],
      finished: true,
      stops: [['Success', 'here', null]],
    },
  ])('$name', ({ step, moves, finished = false, stops }) => {
    expect(rail(step, finished, ...before, ...moves)).toEqual([...passed, ...stops])
  })

  it('stands at the status, although a step that no rule knows came after it', () => {
    expect(rail('IN_PROGRESS', false, ...before, ['COMPLIANCE_REVIEW', null, 2])).toEqual([
      ['Pending', 'passed', null],
      ['In progress', 'here', hour(1)],
      ['COMPLIANCE_REVIEW', 'passed', null],
    ])
  })

  it.each([
    ['ON_HOLD', ['In progress', 'Stablecoin sent', 'Success']],
    ['COMPLIANCE_REVIEW', ['In progress', 'Stablecoin sent', 'Success']],
    ['IN_PROGRESS', ['Stablecoin sent', 'Success']],
  ])('promises nothing again that %s implies when it is the first thing received', (subType, ahead) => {
    const rank = subType === 'IN_PROGRESS' ? 1 : null
    const first = { id: '1', type: 'fiatToCrypto', subType, status: null, rank, firstReceivedAt: hour(1) }
    const stops = railSteps({
      ...{ direction: 'fiatToCrypto', step: subType, finishedAt: null },
      events: [{ ...first, placedBefore: null }],
    })
    expect(stops.flatMap(({ label, state }) => (state === 'ahead' ? [label] : []))).toEqual(ahead)
  })
})
