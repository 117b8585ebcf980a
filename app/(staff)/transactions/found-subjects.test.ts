import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { LinkedFound } from '#lib/search/search.ts'
import { inRouter } from '../../../test/in-router.ts'
import { nothingFound } from '../../../test/nothing-found.ts'
import { FoundSubjects } from './found-subjects.tsx'
import { QueryExplanation } from './query-explanation.tsx'
import { readTransactionsSearch } from './search.ts'

const nothing: LinkedFound = { ...nothingFound, explanation: 'ID' }

/** The result has the page's texts and links for the matches, below those of the search box. */
function rendered(given: Partial<LinkedFound>, address = ''): string {
  const found = { ...nothing, ...given }
  const search = { explanation: 'ID', state: 'found', found, error: null, retry: () => undefined } as const
  const said = createElement(QueryExplanation, { search, opens: false })
  const shown = createElement(FoundSubjects, {
    text: found.text,
    search,
    filters: readTransactionsSearch(new URLSearchParams(address)),
    onCursor: () => undefined,
    onFilters: () => undefined,
    choices: { reasons: [], currencies: [], chains: ['optimism'] },
    onText: () => undefined,
    person: null,
    sandboxUrl: null,
    allowExport: null,
  })
  const routed = inRouter(shown)
  const words = { language: 'en', messages: {}, children: routed } as const
  const spoken = createElement(WordsProvider, words)
  return renderToStaticMarkup(said) + renderToStaticMarkup(spoken)
}

it('shows the endpoint of a pasted id, and does not call it unknown', () => {
  const endpointUuid = '2046967a-0000-4000-8000-0000000d1329'
  const html = rendered({ endpoints: [{ endpointUuid, name: 'Main', status: 'auto_disabled' }] })
  expect(html).toContain(`href="/endpoints/${endpointUuid}"`)
  expect(html).toContain('Auto-disabled')
  expect(html).toContain('ID · one endpoint')
  expect(html).not.toContain('No results for')
  expect(rendered({})).toContain('No results for')
})

it('shows for a person the matching field, and their other names', () => {
  const userUuid = '3046967a-0000-4000-8000-0000000d1329'
  const why = { field: 'name', text: 'Ana Lima', marks: [{ from: 0, to: 3 }] } as const
  const person = { userUuid, email: 'a.l@demo.test', name: 'Ana Lima', customerNumber: null, why }
  const html = rendered({ people: [person] })
  expect(html).toMatch(/href="\/users\/3046967a[^>]*><mark[^>]*>Ana<\/mark> Lima<\/a>/)
  expect(html).toContain('a.l@demo.test')
  const byEmail = { ...person, why: { field: 'email', text: 'a.l@demo.test', marks: [] } } as const
  expect(rendered({ people: [byEmail] })).toMatch(/a\.l@demo\.test<\/a>.*>Ana Lima</)
})

const line = {
  text: 'ana@demo.test',
  explanation: '',
  answer: 'none',
  subject: null,
  why: null,
  person: null,
  count: 0,
  near: null,
  nearNotSearched: false,
} as const

it('says of many pasted e-mails that misspelt ones are not recognised', () => {
  expect(rendered({ lines: [line, { ...line, nearNotSearched: true }] })).toContain('recognised only')
  expect(rendered({ lines: [line] })).not.toContain('recognised only')
})

it('links from the answer to a pasted line to everything of its person', () => {
  const userUuid = '4046967a-0000-4000-8000-0000000d1329'
  const why = { field: 'email', text: 'a•••@demo.test', marks: [] } as const
  const person = { userUuid, email: 'a•••@demo.test', name: null, customerNumber: null, why }
  const html = rendered({ lines: [{ ...line, person, answer: 'person' }] })
  expect(html).toMatch(/href="\/transactions#4046967a[^>]*>a•••@demo\.test<\/a>/)
})

it('says how far back a page read for a filter, and does not say that nothing matches', () => {
  const scannedTo = '2026-11-20T10:00:00.000Z'
  const html = rendered({ scannedTo, next: 'further' }, 'step=ON_HOLD')
  expect(html).toContain('this page looked back to')
  expect(html).toContain('Search further')
  expect(html).toContain('nothing found so far')
  expect(html).not.toMatch(/Nothing|No more/)
  expect(rendered({}, 'step=ON_HOLD')).toContain('No search result matches')
  expect(rendered({}, 'step=ON_HOLD&cursor=further')).toContain('No more matches')
})

it('offers the filters that the words name when they name nothing else', () => {
  const said = (given: Partial<LinkedFound>, address = '') =>
    rendered(given, address).replaceAll(/<[^>]+>/g, '')
  expect(said({ text: 'on hold' })).toContain('Filter by Status: On hold')
  expect(said({ text: 'failed on optimism' })).toContain('Filter by Status: Failed, Chain: Optimism')
  expect(said({ text: 'on hold' }, 'chain=base')).toContain('Filter by Status: On hold')
  expect(said({ text: 'on hold' })).not.toContain('tries again')
  expect(said({ text: 'Zoe' })).not.toContain('Filter by')
  expect(said({ text: 'Zoe' })).toContain('tries again')
})

it('says that an id has a beginning and an end, and which account numbers are not searched in parts', () => {
  expect(rendered({ text: '8bf1-4d8b-8c9d' })).toContain('by its beginning or end, not its middle')
  expect(rendered({ text: '1269' })).toContain('A masked account number is found only by the whole number')
})
