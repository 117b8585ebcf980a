import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { LinkPage } from './open-link.tsx'

const shown = (again: boolean | null) => {
  const failure = again === null ? null : { refusal: { title: 'It did not open.', next: 'Go on.' }, again }
  const children = createElement(LinkPage, { signedInAs: null, opening: false, failure, onOpen: () => {} })
  return renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
}

it('offers a link again that was not tried, and leads to the sign-in from a refused one', () => {
  for (const again of [null, true]) {
    expect(shown(again)).toContain('Open the link')
    expect(shown(again)).not.toContain('/sign-in')
  }
  expect(shown(false)).toContain('href="/sign-in"')
  expect(shown(false)).not.toContain('Open the link')
})
