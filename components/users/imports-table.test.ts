import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '../browser/words.tsx'
import { ImportsTable } from './imports-table.tsx'

it('counts every line of the file, those that are broken too', () => {
  const view = {
    id: 'i-1',
    fileName: 'people.csv',
    state: 'done',
    total: 4,
    broken: 2,
    created: 1,
    done: 1,
    failed: 1,
    why: null,
    checkedAt: '2026-11-21T12:00:00.000Z',
  } as const
  const children = createElement(ImportsTable, { imports: [view] })
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  const cells = html.split(/<t[hd]\b/).map((cell) => `<${cell}`.replaceAll(/<[^>]+>/g, ''))
  expect(cells).toEqual(expect.arrayContaining(['Imported', 'Not imported', '1 of 4', '3']))
})
