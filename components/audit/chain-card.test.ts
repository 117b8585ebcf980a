import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { inRouter } from '../../test/in-router.ts'
import { ChainCard } from './chain-card.tsx'

type State = Parameters<typeof ChainCard>[0]['state']

const check = {
  at: '2026-11-27T14:50:00.000Z',
  links: 7,
  older: 0,
  reasonsRemoved: 0,
  faultCount: 0,
  faults: [],
}
function shown(given: Partial<State>) {
  const state = { check, since: 0, othersSince: 0, isProtected: true, ...given }
  const verify = () => Promise.resolve({ kind: 'idle' as const })
  const children = inRouter(createElement(ChainCard, { state, verify }))
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  return { tone: /data-tone="(\w+)"/.exec(html)?.[1], text: html.replaceAll(/<[^>]+>/g, '') }
}

it('is green only when every entry was checked, and shows how many came since', () => {
  expect(shown({})).toMatchObject({ tone: 'done' })
  expect(shown({}).text).toContain('(7 entries verified')
  // The check itself adds this one entry.
  expect(shown({ since: 1 })).toMatchObject({ tone: 'done' })
  const grown = shown({ since: 93, othersSince: 92 })
  expect(grown.tone).not.toBe('done')
  expect(grown.text).toContain('(first 7 of 100 entries verified')
  expect(grown.text).toContain('93 new entries since; the next check covers them.')
})

it('shows beside a fault what was checked, and what came since', () => {
  const { text } = shown({
    check: { ...check, faultCount: 1, faults: ['Entry 1.'] },
    since: 1,
    othersSince: 1,
  })
  expect(text).toMatch(/\(first 7 of 8 entries verified\)\. 1 new entry since/)
})

it('counts one entry as one', () => {
  const { text } = shown({ check: { ...check, older: 1, reasonsRemoved: 1 } })
  expect(text).toContain('the 1 entry older than it')
  expect(text).toContain('The reasons of 1 entry were erased')
})
