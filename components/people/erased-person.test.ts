import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { clientMessages } from '#lib/words/sentences.ts'
import { ErasedPerson } from './person-alerts.tsx'

const at = '2026-02-01T00:33:58.000Z'
const erasure = { id: 'erased-1', beganAt: at, finishedAt: at, subjects: 3, deliveries: 4 }
function html(isCompany: boolean, given: Partial<typeof erasure> = {}): string {
  const children = createElement(ErasedPerson, { erasure: { ...erasure, ...given, isCompany } })
  return renderToStaticMarkup(
    createElement(WordsProvider, { language: 'en', messages: clientMessages('en', ['ui']), children }),
  )
}

it('calls a company a company', () => {
  expect(html(true)).toMatch(
    /This company was erased.*without its data.*href="\/companies"[^>]*>All companies/,
  )
  expect(html(true)).not.toMatch(/person|them|\/users/)
  expect(html(false)).toMatch(/This person was erased.*without their data.*href="\/users"[^>]*>All people/)
})

it('counts what was overwritten, one thing also', () => {
  expect(html(false)).toContain('4 deliveries of 3 subjects')
  expect(html(false, { deliveries: 1, subjects: 1 })).toContain('1 delivery of 1 subject<')
})
