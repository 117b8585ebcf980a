import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { endpointView } from '../../test/endpoint-view.ts'
import { WordsProvider } from '../browser/words.tsx'
import { endpointAlerts, type MissingHere } from './endpoint-alerts.tsx'

const buttons = { activate: null, repair: null, confirm: null }
const open: MissingHere = { words: 'What its gap says.', actions: null, isSettled: false }
const settled: MissingHere = { ...open, isSettled: true }

function alertOf(status: string, missing: MissingHere | null) {
  const [alert] = endpointAlerts(endpointView('e-1', { status }), { buttons, missing, sandboxUrl: null })
  const children = alert?.shown
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  return {
    kind: alert?.kind,
    shownAs: /data-tone="(\w+)"/.exec(html)?.[1],
    text: html.replaceAll(/<[^>]+>/g, ''),
  }
}

it.each([
  ['auto_disabled', null, 'error', 'fail'],
  ['auto_disabled', open, 'error', 'fail'],
  ['auto_disabled', settled, 'warning', 'held'],
  ['disabled', null, 'info', 'wait'],
  ['disabled', open, 'warning', 'held'],
  ['disabled', settled, 'info', 'wait'],
] as const)('is as loud as what is missing: %s, %j: %s', (status, missing, kind, shownAs) => {
  expect(alertOf(status, missing)).toMatchObject({ kind, shownAs })
})

it('says that deliveries may be missing only where its gap says nothing yet', () => {
  expect(alertOf('auto_disabled', null).text).toContain('Deliveries may be missing since then.')
  for (const missing of [open, settled]) {
    const { text } = alertOf('auto_disabled', missing)
    expect(text).toContain('What its gap says.')
    expect(text).not.toContain('may be missing')
  }
})
