import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Live } from '#components/ui/live/live.tsx'
import { AttentionSegments } from './attention-segments.tsx'

it('the link to the counted items shows the same number as the navigation', () => {
  const counts = { held: 0, people: 3, accounts: 1, companies: 4, gaps: null, endpoints: null, alerts: null }
  const children = createElement(AttentionSegments, {
    name: 'Which people',
    all: { label: 'Everybody', href: '/users' },
    attention: { label: 'Needs attention', href: '/users?look=1', count: 'people', chosen: true },
  })
  const status = { at: 0, health: null, counts }
  const html = renderToStaticMarkup(
    createElement(Live, { url: '', name: '', position: null, status, children }),
  )
  const links = html.match(/<a .*?<\/a>/g) ?? []
  expect(links.map((link) => link.replaceAll(/<[^>]+>/g, ''))).toEqual([
    'Everybody ',
    'Needs attention 3 not snoozed',
  ])
  expect(links.map((link) => link.includes('aria-current'))).toEqual([false, true])
  expect(links[1]).toContain('href="/users?look=1"')
})
