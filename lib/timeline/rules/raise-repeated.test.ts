import { expect, it } from 'vitest'
import { raiseRepeated } from './subject-event.ts'

const event = (id: string, cameAgainId: string | null = null) => ({ id, cameAgainId })
const ids = (events: readonly { id: string }[]) => events.map(({ id }) => id).join('')

it.each([
  ['leaves a timeline as it is when nothing came again', [event('b'), event('a'), event('c')], 'bac'],
  ['puts what came again at the end', [event('a', 'e'), event('b'), event('c')], 'bca'],
  ['puts it before what has come since', [event('a', 'c'), event('b'), event('d')], 'bad'],
  [
    'puts several in the order in which they came again',
    [event('a', 'f'), event('b', 'e'), event('c')],
    'cba',
  ],
  [
    'leaves an event that a rule placed, and that is itself what came again',
    [event('b', 'b'), event('a')],
    'ba',
  ],
  ['leaves an event that is itself what came again', [event('a'), event('b'), event('c', 'c')], 'abc'],
])('%s', (_, timeline, shown) => {
  expect(ids(raiseRepeated(timeline))).toBe(shown)
})
