import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { type Alert, AlertSlot } from './alert-slot.tsx'

const alert = (key: string, kind: Alert['kind']): Alert => ({
  key,
  kind,
  shown: createElement('p', null, key),
})
const rendered = (...alerts: Alert[]) => renderToStaticMarkup(createElement(AlertSlot, { alerts }))
const words = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

it('shows the worst alert, and the others behind their number', () => {
  const html = rendered(alert('a remark', 'info'), alert('a warning', 'warning'), alert('an error', 'error'))
  expect(words(html)).toBe('an error +2 more a warning a remark')
  const [shown = '', hidden = ''] = html.split('<details')
  expect(words(shown)).toBe('an error')
  expect(hidden).toContain('+2 more</summary>')
  expect(hidden).not.toMatch(/^[^>]*\bopen\b/)
})

it('shows the first of equal alerts, a single one without anything to open, and nothing for none', () => {
  expect(words(rendered(alert('first', 'warning'), alert('second', 'warning')))).toBe('first +1 more second')
  expect(rendered(alert('first', 'warning'))).not.toContain('<details')
  expect(rendered()).toBe('')
})
