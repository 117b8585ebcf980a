import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type {
  AttentionItem,
  EndpointAttention,
  TransactionAttention,
} from '#lib/operations/overview/attention-items.ts'
import type { AttentionItems } from '#lib/operations/overview/read-attention.ts'
import type { AttentionKind, EventAttentionKind } from '#lib/operations/rules/attention-kinds.ts'
import type { EventView } from '#lib/timeline/event-view.ts'
import { AttentionRow } from './attention-row.tsx'
import { MoreAttentionItems, NeedsAttention } from './needs-attention.tsx'

const off = (n: number): EndpointAttention => ({
  kind: 'endpoint',
  about: `endpoint:${n}`,
  since: '2026-11-20T14:00:00.000Z',
  endpoint: { uuid: `${n}`, name: `Shop ${n}`, status: 'auto_disabled' },
})

const rendered = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, '')
const hrefOf = (kind: string | null) => `/overview?look=${kind}`
const some = (kind: AttentionKind, count: number, exact = true) => ({ kind, total: { count, exact } })

/** The page's part has this many rows of endpoints that are off. */
function shown(kinds: AttentionItems['kinds'], rows: number, chosen: AttentionKind | null = null) {
  const waiting = Array.from({ length: rows }, (_, n) => off(n))
  const items: AttentionItems = { kinds, waiting, happened: [], off: [], unknownTypes: [] }
  return rendered(createElement(NeedsAttention, { items, chosen, hrefOf, snooze: null }))
}

it('mentions no more items when all are shown, and titles an endpoint by what happened to it', () => {
  const text = textOf(shown([some('endpoint', 2)], 2))
  expect(text).toContain('The provider switched off Shop 1')
  expect(text).not.toContain(' more')
})

it('says that one kind needs no attention, and links to everything while others do', () => {
  const html = shown([some('failed', 3)], 0, 'held')
  expect(textOf(html)).not.toContain('Nothing needs attention')
  expect(html).toMatch(/Nothing under “On hold” needs attention now.*href="\/overview\?look=null"/)
  expect(textOf(shown([], 0, 'held'))).toContain('Nothing needs attention')
})

it('links a row to a company’s page when the event was about one, and to a person’s otherwise', () => {
  const uuid = '7a0c0a52-6f43-4f0e-9a51-0a4f4f4c1d11'
  const event = {
    subjectId: `entity:${uuid}`,
    type: 'KYB',
    subType: 'statusUpdate',
    status: 'KYB_FAILED',
    restricted: false,
    userEmail: null,
    entityUuid: null,
  } as EventView
  const row = (kind: EventAttentionKind, type: string) => {
    const item: AttentionItem = {
      kind,
      about: '',
      since: '2026-11-20T14:00:00.000Z',
      event: { ...event, type },
    }
    return rendered(createElement(AttentionRow, { item, time: 'age', snooze: null }))
  }
  expect(row('failed-company', 'KYB')).toContain(`href="/companies/${uuid}"`)
  expect(row('failed-company', 'entityStatusUpdate')).toContain(`href="/companies/${uuid}"`)
  expect(row('failed-kyc', 'KYC')).toContain(`href="/users/${uuid}"`)
})

it('says in a row of a hold for KYC that a verified customer has nothing to do', () => {
  const at = '2026-11-20T14:00:00.000Z'
  const transaction: TransactionAttention['transaction'] = {
    ...{
      subjectId: 'transaction:1',
      uuid: '1',
      direction: 'fiatToCrypto',
      step: 'ON_HOLD',
      reason: 'ON_HOLD_KYC',
    },
    ...{ flags: [], amountFiat: null, amountCrypto: null, amountRefunded: null, fees: null, limit: null },
    ...{ currencyFiat: 'EUR', currencyCrypto: 'USDC', chain: null, transactionHash: null, stuck: false },
    ...{ userUuid: null, userEmail: null, startedAt: at, lastMoveAt: at, finishedAt: null, turn: null },
  }
  const row = (turn: TransactionAttention['transaction']['turn']) => {
    const held: AttentionItem = {
      ...{ kind: 'held', about: '', since: at, before: [] },
      transaction: { ...transaction, turn },
    }
    return textOf(rendered(createElement(AttentionRow, { item: held, time: 'age', snooze: null })))
  }
  expect(row('verified')).toContain('held for KYC: the customer is verified, ask the provider to release it')
  expect(row('provider')).toContain('held for KYC: the customer is being verified')
  expect(row('customer')).toContain('held for KYC: the customer must finish verification')
})

it('shows how many more wait, of which kinds, and leaves out what has happened', () => {
  const html = shown([some('held', 1000, false), some('endpoint', 15), some('failed', 30)], 12)
  expect(textOf(html)).toMatch(/1,003\+ more · On hold \(1,000\+\) · Endpoints off \(3\)$/)
  expect(html).toMatch(/1,003\+ more.*href="\/overview\?look=held"/)
})

it('links from a single kind to the list with all of it', () => {
  const html = shown([some('held', 5), some('endpoint', 150)], 100, 'endpoint')
  expect(html).toMatch(/50 more.*href="\/endpoints"/)
})

it.each([
  ['held', '/transactions?step=ON_HOLD'],
  ['stuck', '/transactions?flags=stuck'],
  ['failed', '/transactions?step=FAILED'],
  ['conflict', '/transactions?flags=conflict'],
  ['gap', '/gaps?state=open'],
  ['failed-company', '/companies?look=1'],
] as const)('has a list of everything that is %s', (chosen, href) => {
  const html = rendered(
    createElement(MoreAttentionItems, { kinds: [some(chosen, 101)], shown: [], chosen, hrefOf }),
  )
  expect(html).toContain(`href="${href}"`)
})

it('says that the rest is shown, for a kind without its own list', () => {
  const kinds = [some('aml', 7)]
  const html = rendered(createElement(MoreAttentionItems, { kinds, shown: ['aml'], chosen: 'aml', hrefOf }))
  expect(textOf(html)).toBe('6 more, shown when these are done or snoozed')
  expect(html).not.toContain('href')
})
