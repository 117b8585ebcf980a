import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Live } from '#components/ui/live/live.tsx'
import type { AttentionCounts } from '#lib/operations/rules/health.ts'
import { AttentionCount } from './navigation.tsx'
import { placesFor } from './places.ts'

/** Each place of an admin with a count is shown with it. */
const shown = (counts: AttentionCounts) =>
  placesFor('admin')
    .flatMap(({ places }) => places)
    .flatMap(({ name, attention }) => {
      if (!attention) return []
      const status = { at: 0, health: null, counts }
      const children = createElement(AttentionCount, { attention })
      const html = renderToStaticMarkup(
        createElement(Live, { url: '', name: '', position: null, status, children }),
      )
      return html ? [`${name} ${html.replaceAll(/<[^>]+>/g, '')}`] : []
    })

it('shows beside its place how many things need attention, in words', () => {
  expect(shown({ held: 2, people: 3, accounts: 1, companies: 4, gaps: 1, endpoints: 1, alerts: 0 })).toEqual([
    'Transactions 2 on hold, not snoozed',
    'People 3 need attention, not snoozed',
    'Accounts 1 failed lately, not snoozed',
    'Companies 4 failed lately, not snoozed',
    'Endpoints 1 needs attention',
  ])
  expect(shown({ held: 0, people: 0, accounts: 0, companies: 0, gaps: 3, endpoints: 2, alerts: 0 })).toEqual([
    'Endpoints 2 need attention',
  ])
})

it('counts up to 99, and shows nothing for zero or for a role that may not know', () => {
  expect(
    shown({
      held: 100,
      people: null,
      accounts: null,
      companies: null,
      gaps: null,
      endpoints: null,
      alerts: 0,
    }),
  ).toEqual(['Transactions 99+ on hold, not snoozed'])
  expect(shown({ held: 0, people: 0, accounts: 0, companies: 0, gaps: 0, endpoints: 0, alerts: 0 })).toEqual(
    [],
  )
})
