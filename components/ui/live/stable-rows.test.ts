import { expect, it } from 'vitest'
import { stableRows } from './stable-table.tsx'

const drawn = (...ids: string[]) => ids.map((id) => ({ id, row: `${id} now` }))

it.each<[what: string, shown: string[], newest: string[], rows: string[], newCount: number]>([
  ['keeps each row where it is when one moves up', ['a', 'b', 'c'], ['c', 'a', 'b'], ['a', 'b', 'c'], 0],
  ['only counts those that came since', ['a', 'b'], ['d', 'c', 'a', 'b'], ['a', 'b'], 2],
  ['leaves out what is no longer listed', ['a', 'b'], ['c', 'a'], ['a'], 1],
  ['fills an empty list', [], ['a', 'b'], ['a', 'b'], 0],
  ['begins anew where nothing is left of it', ['a'], ['b', 'c'], ['b', 'c'], 0],
])('%s', (_what, shown, newest, rows, newCount) => {
  expect(stableRows(shown, drawn(...newest))).toEqual({ rows: drawn(...rows), newCount })
})
