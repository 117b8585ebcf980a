import { expect, test } from 'vitest'
import { neighboursIn } from './last-list.ts'

test('names what stands before and after a transaction in the list, and nothing for one that is not there', () => {
  const list = JSON.stringify(['a', 'b', 'c'])
  expect(neighboursIn(list, 'b')).toEqual({ previous: 'a', next: 'c', place: '2 of 3' })
  expect(neighboursIn(list, 'a')).toMatchObject({ previous: null, next: 'b' })
  expect(neighboursIn(list, 'd')).toBeNull()
  expect(neighboursIn(null, 'a')).toBeNull()
})
