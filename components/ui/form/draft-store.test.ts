import { beforeEach, expect, it, vi } from 'vitest'
import { brokenStorages } from '../../../test/broken-storages.ts'
import {
  beforeSignIn,
  type Draft,
  draftKey,
  findDraft,
  keepDraft,
  removeDraft,
  removeDrafts,
  takeDraft,
} from './draft-store.ts'

const stored = new Map<string, string>()
beforeEach(() => {
  stored.clear()
  vi.stubGlobal('sessionStorage', {
    get length() {
      return stored.size
    },
    key: (index: number) => [...stored.keys()][index] ?? null,
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  })
})

const draft: Draft = [
  ['description', 'Ledger backend'],
  ['reason', 'a new ledger'],
]
const anas = draftKey('ana', '/endpoints/new', 'create-endpoint')

it('keeps the text of one form of one page, separately for each person', () => {
  keepDraft(anas, draft)
  expect(findDraft(anas)).toEqual(draft)
  for (const other of [
    draftKey('ben', '/endpoints/new', 'create-endpoint'),
    draftKey('ana', '/endpoints/new?send=1', 'create-endpoint'),
    draftKey('ana', '/endpoints/new', 'start-replay'),
  ])
    expect(findDraft(other)).toBeNull()
})

it('ends with the form that was sent', () => {
  keepDraft(anas, draft)
  removeDraft(anas)
  expect(findDraft(anas)).toBeNull()
  expect(stored.size).toBe(0)
})

it('ends for everybody at a sign-out, and for others as soon as somebody else has signed in', () => {
  const bens = draftKey('ben', '/team', 'Invite')
  const somebodys = draftKey('anabel', '/team', 'Invite')
  stored.set('of somebody else', 'stays')
  for (const key of [anas, bens, somebodys]) keepDraft(key, draft)
  removeDrafts(['ana'])
  expect([anas, bens, somebodys].map(findDraft)).toEqual([draft, null, null])
  const before = draftKey(beforeSignIn, '/sign-in', 'code')
  keepDraft(before, draft)
  removeDrafts([beforeSignIn])
  expect([...stored.keys()]).toEqual(['of somebody else', before])
  removeDrafts(['ana'])
  expect([...stored.keys()]).toEqual(['of somebody else'])
})

it('is found by every tag of a person, and stored under the newest', () => {
  const newer = draftKey('ana-2', '/endpoints/new', 'create-endpoint')
  keepDraft(anas, draft)
  removeDrafts(['ana-2', 'ana'])
  expect(takeDraft([newer, anas])).toEqual(draft)
  expect([...stored.keys()]).toEqual([newer])
  expect(takeDraft([newer, anas])).toEqual(draft)
})

it('survives stored data of another program', () => {
  for (const text of ['{', '{}', 'null', '["description"]', '[["a", 1]]', '[["a", "b", "c"]]']) {
    stored.set(anas, text)
    expect(findDraft(anas)).toBeNull()
  }
})

it.each(brokenStorages)('keeps nothing in a browser whose storage %s', (_, storage) => {
  vi.stubGlobal('sessionStorage', storage)
  keepDraft(anas, draft)
  removeDraft(anas)
  removeDrafts(['ana'])
  expect(findDraft(anas)).toBeNull()
})
