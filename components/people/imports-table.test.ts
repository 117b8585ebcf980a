import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { ImportView } from '#lib/people/import/list-imports.ts'
import { ImportStanding } from './imports.tsx'
import { ImportsTable } from './imports-table.tsx'

const view: ImportView = {
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
}

function cellsOf(more: Partial<ImportView>): string[] {
  const children = createElement(ImportsTable, { imports: [{ ...view, ...more }] })
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  return html.split(/<t[hd]\b/).map((cell) => `<${cell}`.replaceAll(/<[^>]+>/g, ''))
}

it('counts every line of the file, also broken ones', () => {
  expect(cellsOf({})).toEqual(expect.arrayContaining(['Imported', 'Skipped', '1 of 4', '3']))
})

it('shows for a checked file what it would leave out, and that nothing was imported', () => {
  const cells = cellsOf({ state: 'checked', done: 0, failed: 0 })
  expect(cells).toEqual(expect.arrayContaining(['–', '2']))
  expect(cells.join(' ')).not.toContain('0 of 4')
})

it.each([
  [{ replaced: 0, repeated: [] }, null, null],
  [
    { replaced: 1, repeated: ['K-1'] },
    '1 stored number differs and is replaced',
    'K-1, each in several lines',
  ],
  [
    { replaced: 1_200, repeated: ['1', '2', '3', '4', '5', '6'] },
    '1,200 stored numbers differ and are replaced',
    '1, 2, 3, 4, 5 and more, each in several lines',
  ],
])('a checked file of %j says what it does to customer numbers', (numbers, replaced, repeated) => {
  const children = createElement(ImportStanding, { view: { ...view, state: 'checked', numbers } })
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  const text = html.replaceAll(/<[^>]+>/g, '')
  for (const [name, words] of [
    ['Replaced numbers', replaced],
    ['Repeated numbers', repeated],
  ] as const) {
    if (words === null) expect(text).not.toContain(name)
    else expect(text).toContain(`${name}${words}`)
  }
})
