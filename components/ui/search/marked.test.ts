import { expect, it } from 'vitest'
import { markedPieces } from '#components/ui/search/marked.tsx'

const id = '2046967a-e17d-45b7-9cc9-a4c1b2ad1329'
const shown = (text: string, marks: readonly { from: number; to: number }[]) =>
  markedPieces(text, marks)
    .map(({ text: piece, marked }) => (marked ? `[${piece}]` : piece))
    .join('')

it.each([
  ['the beginning', [{ from: 0, to: 4 }], '[2046]967a…d1329'],
  ['a long beginning', [{ from: 0, to: 13 }], '[2046967a-e17d]…d1329'],
  ['the end', [{ from: 31, to: 36 }], '2046967a…[d1329]'],
  [
    'both ends',
    [
      { from: 0, to: 8 },
      { from: 31, to: 36 },
    ],
    '[2046967a]…[d1329]',
  ],
  ['all of it', [{ from: 0, to: 36 }], '[2046967a]…[d1329]'],
  ['nothing', [], '2046967a…d1329'],
])('marks %s of an id in its shortened form', (_what, marks, text) => {
  expect(shown(id, marks)).toBe(text)
})

it('keeps a short text whole', () => {
  expect(shown('ana@demo.test', [{ from: 0, to: 3 }])).toBe('[ana]@demo.test')
})
