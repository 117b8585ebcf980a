import { afterEach, expect, test, vi } from 'vitest'
import { brokenStorages } from '../../../test/broken-storages.ts'
import { neighboursIn, rememberList, storedList } from './remember-list.tsx'

afterEach(() => vi.unstubAllGlobals())

const noPages = { newer: null, older: null }

test('gives the neighbours of a transaction in the list, and nothing for one that is not there', () => {
  const list = JSON.stringify({ uuids: ['a', 'b', 'c'], ...noPages })
  expect(neighboursIn(list, 'b')).toEqual({ previous: 'a', next: 'c', pages: noPages, place: '2 of 3' })
  expect(neighboursIn(list, 'a')).toMatchObject({ previous: null, next: 'b' })
  expect(neighboursIn(list, 'd')).toBeNull()
  expect(neighboursIn(null, 'a')).toBeNull()
})

test('lists a transaction once that occurs twice', () => {
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
  })
  const pages = { newer: null, older: '/transactions?cursor=2' }
  rememberList(['a', 'b', 'a', 'c'], pages)
  expect(neighboursIn(storedList(), 'b')).toEqual({ previous: 'a', next: 'c', pages, place: '2 of 3' })
})

test.each(brokenStorages)('remembers no list in a browser whose storage %s', (_, storage) => {
  vi.stubGlobal('sessionStorage', storage)
  rememberList(['a', 'b'])
  expect(storedList()).toBeNull()
})
