import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { Total } from '#lib/platform/paging/paging.ts'
import { AllTransactions } from './all-transactions.tsx'

const rendered = (total: Total) =>
  renderToStaticMarkup(createElement(AllTransactions, { shown: 10, total, of: { userUuid: 'u' } }))

it('links from the newest transactions of a person to all of them', () => {
  const html = rendered({ count: 45, exact: true })
  expect(html).toContain('href="/transactions?user=u"')
  expect(html).toContain('>All 45 transactions</a>')
})

it('says that there are more when nobody counted all', () => {
  const html = rendered({ count: 1_000, exact: false, atLeast: true })
  expect(html).toContain('>All of more than 1,000 transactions</a>')
})

it('is hidden when all are shown', () => {
  expect(rendered({ count: 10, exact: true })).toBe('')
})
