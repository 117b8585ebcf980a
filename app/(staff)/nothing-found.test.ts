import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/browser/words.tsx'
import { NothingFound } from './nothing-found.tsx'

const gap = { id: 'g-1', beganAt: '2026-11-20T02:10:00.000Z', endedAt: null }

function shown(covered: boolean): string {
  const absence = {
    service: 'service.test',
    sandbox: false,
    since: null,
    missingTypes: null,
    gaps: [{ ...gap, covered }],
    openGaps: 1,
  }
  const children = createElement(NothingFound, { title: 'Nothing', sandboxUrl: null, absence })
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  return html.replaceAll(/<[^>]+>/g, '')
}

it('says of a gap that another endpoint covers that one endpoint may have missed deliveries', () => {
  expect(shown(false)).toMatch(/Deliveries may be missing since /)
  expect(shown(true)).toMatch(/One endpoint may have missed deliveries since /)
  expect(shown(true)).not.toContain('may be missing')
})
