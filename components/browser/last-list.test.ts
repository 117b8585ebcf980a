import { afterEach, expect, test, vi } from 'vitest'
import { neighboursIn, rememberList, storedList } from './last-list.ts'

afterEach(() => vi.unstubAllGlobals())

test('names what stands before and after a transaction in the list, and nothing for one that is not there', () => {
  const list = JSON.stringify(['a', 'b', 'c'])
  expect(neighboursIn(list, 'b')).toEqual({ previous: 'a', next: 'c', place: '2 of 3' })
  expect(neighboursIn(list, 'a')).toMatchObject({ previous: null, next: 'b' })
  expect(neighboursIn(list, 'd')).toBeNull()
  expect(neighboursIn(null, 'a')).toBeNull()
})

test('holds a transaction once that stands twice in a list', () => {
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
  })
  rememberList(['a', 'b', 'a', 'c'])
  expect(neighboursIn(storedList(), 'b')).toEqual({ previous: 'a', next: 'c', place: '2 of 3' })
})
