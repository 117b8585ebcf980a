import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { PersonEvents } from './person-events.tsx'

it('calls a company one where nothing was received about it', () => {
  const events = { rows: [], older: null, newest: null }
  const html = (isCompany: boolean) =>
    renderToStaticMarkup(createElement(PersonEvents, { events, here: '/users/u', turned: false, isCompany }))
  expect(html(true)).toContain('about this company yet')
  expect(html(false)).toContain('about this person yet')
})

it('keeps whoever turns its pages at the events', () => {
  const events = { rows: [], older: '7', newest: null }
  const html = renderToStaticMarkup(createElement(PersonEvents, { events, here: '/users/u', turned: true }))
  expect(html).toContain('<section id="timeline"')
  expect(html).toContain('href="/users/u?before=7#timeline"')
  expect(html).toContain('href="/users/u#timeline"')
})
