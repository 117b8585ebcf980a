import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { FilterFields } from './start-replay-form.tsx'

const shown = (given: Record<string, string>, errors: Record<string, string>) => {
  const children = createElement(FilterFields, { given, filter: {}, errors, sources: [], sendTo: null })
  return renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
}

it('keeps all that was asked for when one field cannot be read', () => {
  const failedIn = '0199c0de-0000-7000-8000-000000000001'
  const html = shown(
    { first: 'yes', failedIn, once: 'yes', from: ' 2026-11-20T14:05Z', to: '2026-11-20T15:00:07.25' },
    { user: 'The directory knows nobody by this e-mail.' },
  )
  expect(html).toContain('<input type="hidden" name="first" value="yes"/>')
  expect(html).toContain(`<input type="hidden" name="failedIn" value="${failedIn}"/>`)
  expect(html).toMatch(/<input (?=[^>]*name="once")(?=[^>]*checked="")/)
  expect(html).toMatch(/<input (?=[^>]*name="from")(?=[^>]*value="2026-11-20T14:05")/)
  expect(html).toMatch(/<input (?=[^>]*name="to")(?=[^>]*value="2026-11-20T15:00:07")/)
})

it('says what is wrong with a part that has no field', () => {
  const html = shown({ event: 'e-1' }, { event: 'This is not a uuid.' })
  expect(html).toContain('<input type="hidden" name="event" value="e-1"/>')
  expect(html).toContain('This is not a uuid.')
})
