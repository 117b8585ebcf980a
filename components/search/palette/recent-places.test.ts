import { beforeEach, expect, it, vi } from 'vitest'
import { brokenStorages } from '../../../test/broken-storages.ts'
import { keepRecent, readRecent, recentLabel } from './recent-places.ts'

const stored = new Map<string, string>()
beforeEach(() => {
  stored.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  })
})

const uuid = (n: number) => `${n}046967a-e17d-45b7-9cc9-a4c1b2ad1329`

it('keeps the last seven things that were opened, the last one first, each once', () => {
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 2]) keepRecent('ana', `/transactions/${uuid(n)}`)
  expect(readRecent('ana', '/').map(({ id }) => id[0])).toEqual(['2', '8', '7', '6', '5', '4', '3'])
  expect(readRecent('ben', '/')).toEqual([])
})

it('keeps neither lists nor forms nor searches, and leaves out the open page', () => {
  for (const path of ['/transactions', '/users/new', '/users/import/1', '/profile', '/go'])
    keepRecent('ana', path)
  keepRecent('ana', `/timeline/bank-account%3A${uuid(1)}`)
  keepRecent('ana', `/companies/${uuid(3)}`)
  keepRecent('ana', `/users/${uuid(2)}`)
  expect(readRecent('ana', `/users/${uuid(2)}`)).toEqual([
    { kind: 'companies', id: uuid(3), path: `/companies/${uuid(3)}` },
    { kind: 'timeline', id: uuid(1), path: `/timeline/bank-account%3A${uuid(1)}` },
  ])
  expect(readRecent('ana', '/').map(recentLabel)).toEqual(['Person', 'Company', 'Timeline'])
})

it.each(brokenStorages)('remembers nothing in a browser whose storage %s', (_, storage) => {
  vi.stubGlobal('localStorage', storage)
  keepRecent('ana', `/users/${uuid(1)}`)
  expect(readRecent('ana', '/')).toEqual([])
})

it('survives stored data of another program', () => {
  for (const text of ['{', '{}', '[1, null]', '["/%zz/1"]']) {
    stored.set('rampart.recent.ana', text)
    expect(readRecent('ana', '/')).toEqual([])
  }
})
