import { type ComponentProps, createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { clientMessages } from '#lib/words/sentences.ts'
import { WordsProvider } from './browser/words.tsx'
import { JsonView } from './json-view.tsx'

/** The text that the view shows of this body. */
const shown = (text: string) =>
  renderToStaticMarkup(
    createElement(
      WordsProvider,
      { language: 'en', messages: clientMessages('en', ['ui']) } as ComponentProps<typeof WordsProvider>,
      createElement(JsonView, { text, label: 'A body' }),
    ),
  )
    .replace(/^.*<code>|<\/code>.*$/gs, '')
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')

it('sets out a body line by line, with its digits as written', () => {
  expect(shown('{"amount":1.10,"steps":[],"of":["a b"]}')).toBe(
    '{\n  "amount": 1.10,\n  "steps": [],\n  "of": [\n    "a b"\n  ]\n}',
  )
})

it.each(['What is no JSON stays as it is.', '{"note": "cut  off', '{ "a": 1 }\n{ "b": 2 }', ' ', ''])(
  'shows %j as it is, which is no JSON',
  (text) => expect(shown(text)).toBe(text),
)
