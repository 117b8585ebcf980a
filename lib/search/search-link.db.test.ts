import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'

const [older, newer] = ['older', 'newer'].map((id) => `${id}:${crypto.randomBytes(32).toString('base64')}`)
const caller = callerWith('support')
let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

/** A process was started with these keys. */
async function startedWith(...keys: readonly (string | undefined)[]) {
  vi.resetModules()
  globalThis.rampartEnv = undefined
  vi.stubEnv('RAMPART_KEYS', keys.join(','))
  return await import('./search-link.ts')
}

test('a link that was opened while a key was replaced opens when the old key is gone, as one that was asked for again', async () => {
  const first = await startedWith(older)
  const [opened, again, neither] = [
    await first.linkTo(caller, 'subjects', 'opened'),
    await first.linkTo(caller, 'subjects', 'asked for again'),
    await first.linkTo(caller, 'subjects', 'left alone'),
  ]
  const during = await startedWith(newer, older)
  expect(await during.readLink('subjects', opened)).toEqual({ text: 'opened', madeBy: caller.id })
  expect(await during.linkTo(caller, 'subjects', 'asked for again')).toBe(again)
  const after = await startedWith(newer)
  expect(await after.readLink('subjects', opened)).toEqual({ text: 'opened', madeBy: caller.id })
  expect(await after.readLink('subjects', again)).toEqual({ text: 'asked for again', madeBy: caller.id })
  expect(await after.readLink('subjects', neither)).toBeNull()
  // The same text, searched again, makes its link readable again.
  expect(await after.linkTo(caller, 'subjects', 'left alone')).toBe(neither)
  expect(await after.readLink('subjects', neither)).toEqual({ text: 'left alone', madeBy: caller.id })
})

test('an erasure removes a link that no key opens, since its key may come back', async () => {
  const before = await startedWith(older)
  const [theirs, common] = [
    await before.linkTo(caller, 'subjects', 'jo.doe@x.io'),
    await before.linkTo(caller, 'subjects', 'common under a lost key'),
  ]
  const during = await startedWith(newer)
  const kept = await during.linkTo(caller, 'subjects', 'somebody else')
  const person = { userUuid: crypto.randomUUID(), isNamedBy: (text: string) => text.includes('jo.doe') }
  const { inTransaction } = await import('#lib/platform/db/in-transaction.ts')
  const { pool } = await import('#lib/platform/db/pool.ts')
  expect(await inTransaction(pool(), (tx) => during.eraseLinks(tx, '', person))).toBeNull()
  expect(await during.readLink('subjects', kept)).toEqual({ text: 'somebody else', madeBy: caller.id })
  const after = await startedWith(newer, older)
  for (const link of [theirs, common]) expect(await after.readLink('subjects', link)).toBe('erased')
})

test('links are judged a few at a time, and the process answers others in between', async () => {
  const { linkTo, eraseLinks, findLinks } = await startedWith(newer)
  const { inTransaction } = await import('#lib/platform/db/in-transaction.ts')
  const { pool } = await import('#lib/platform/db/pool.ts')
  const texts = Array.from({ length: 100 }, (_, n) => `short ${n}`.padEnd(n % 10 === 0 ? 3_000 : 10))
  for (const text of texts) await linkTo(caller, 'subjects', text)
  const turns: string[][] = [[]]
  const person = {
    userUuid: crypto.randomUUID(),
    isNamedBy(text: string) {
      turns.at(-1)?.push(text)
      return false
    },
  }
  const [isOver, nextTurn] = [new AbortController(), () => void turns.push([])]
  const turn = () => {
    nextTurn()
    if (!isOver.signal.aborted) setImmediate(turn)
  }
  turn()
  expect(await inTransaction(pool(), (tx) => eraseLinks(tx, '', person))).toBeNull()
  for await (const found of findLinks(pool(), person)) expect(found).toEqual([])
  isOver.abort()
  expect(turns.flat()).toEqual(expect.arrayContaining(texts))
  for (const judged of turns) {
    expect(judged.length).toBeLessThanOrEqual(10)
    expect(judged.slice(0, -1).filter(({ length }) => length > 2_000)).toEqual([])
  }
})
