import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { ListCard } from './list-card.tsx'

const children = (rows: readonly string[]) => rows.join()

const htmlOf = (cursor: string | null, empty: string | false, rows: readonly string[] = []) =>
  renderToStaticMarkup(
    createElement(ListCard<string, { rows: readonly string[]; next: null }>, {
      name: 'Accounts',
      list: {
        rows,
        noLongerMatching: new Set<string>(),
        newCount: 0,
        hasMoreNew: false,
        showNew: () => undefined,
        reading: null,
        latest: null,
        loading: false,
        error: null,
        retry: () => undefined,
      },
      cursor,
      onCursor: () => undefined,
      pages: { onNewer: null, onOlder: null },
      onTop: () => undefined,
      foot: '50 accounts',
      empty,
      skeleton: () => null,
      children,
    }),
  )

it.each([
  ['the first page is empty', htmlOf(null, 'No accounts yet'), 'No accounts yet', 'Nothing more here'],
  ['a later page was emptied', htmlOf('c', 'No accounts yet'), 'Begin at the top', 'No accounts yet'],
  ['the rest is still looked for', htmlOf('c', false), '50 accounts', 'Nothing more here'],
  ['a later page has rows', htmlOf('c', 'No accounts yet', ['a row']), 'a row', 'Nothing more here'],
])('when %s, the list says what is true', (_when, html, said, unsaid) => {
  expect(html).toContain(said)
  expect(html).not.toContain(unsaid)
})
