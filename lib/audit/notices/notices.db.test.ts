import { afterAll, beforeAll, expect, it } from 'vitest'
import { noticeKinds, noticeSentence } from '#lib/audit/labels/notice-labels.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import {
  countUnseenNotices,
  listNotices,
  MarkNoticesSeenSchema,
  markNoticesSeen,
  tellAdmins,
} from './notices.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const kim = callerWith('admin', { name: 'Kim' })
const lee = callerWith('admin', { name: 'Lee' })
const tell = () =>
  inTransaction(pool(), (tx) =>
    tellAdmins(tx, {
      kind: 'endpoint-created',
      actor: kim,
      reason: 'a test',
      facts: { url: 'https://merchant.example/x' },
    }),
  )

it('stands until each admin has seen it', async () => {
  await tell()
  const { notices } = await listNotices(lee, { unseen: true })
  expect(notices).toMatchObject([
    { sentence: 'Kim created an endpoint that delivers to https://merchant.example/….', seen: false },
  ])
  expect(await markNoticesSeen(lee, { unseen: notices.map(({ id }) => id) })).toEqual({
    marked: 1,
    unseen: 0,
  })
  expect(await countUnseenNotices(lee)).toBe(0)
  expect(await countUnseenNotices(kim)).toBe(1)
  expect((await listNotices(lee)).notices).toMatchObject([{ seen: true }])
  expect((await listNotices(lee, { unseen: true })).notices).toEqual([])
})

it('is not kept when what it tells is undone', async () => {
  const before = await countUnseenNotices(kim)
  const failing = inTransaction(pool(), async (tx) => {
    await tellAdmins(tx, { kind: 'member-removed', actor: kim })
    throw new Error('undone')
  })
  await expect(failing).rejects.toThrow('undone')
  expect(await countUnseenNotices(kim)).toBe(before)
})

it('comes in pages, newest first', async () => {
  await tell()
  await tell()
  const first = await listNotices(kim, { limit: 1 })
  const second = await listNotices(kim, { limit: 1, before: first.next })
  expect(first.notices[0]?.id.localeCompare(second.notices[0]?.id ?? '')).toBe(1)
})

it('is marked with all others from an older page, and one that arrives meanwhile stays new', async () => {
  await tell()
  await tell()
  const { next } = await listNotices(kim, { limit: 1 })
  const { unseen } = await listNotices(kim, { limit: 1, before: next })
  await tell()
  expect(await markNoticesSeen(kim, { unseen })).toMatchObject({ unseen: 1 })
  expect((await listNotices(kim, { unseen: true })).notices).toHaveLength(1)
})

it('stays new when its id is older than those of the list, and it was committed after them', async () => {
  const max = callerWith('admin')
  const listed = Promise.withResolvers<undefined>()
  const begun = Promise.withResolvers<undefined>()
  const late = inTransaction(pool(), async (tx) => {
    await tellAdmins(tx, { kind: 'member-removed', actor: kim })
    begun.resolve(undefined)
    await listed.promise
  })
  await begun.promise
  await tell()
  const { unseen } = await listNotices(max)
  listed.resolve(undefined)
  await late
  expect(await markNoticesSeen(max, { unseen })).toEqual({ marked: unseen.length, unseen: 1 })
  expect((await listNotices(max, { unseen: true })).notices).toMatchObject([{ kind: 'member-removed' }])
})

it('is marked with all others also when there are more than one form names', async () => {
  const max = callerWith('admin')
  for (let count = 0; count < 101; count++) await tell()
  const { unseen } = await listNotices(max)
  expect(unseen).toHaveLength(100)
  const form = MarkNoticesSeenSchema.parse({ unseen: unseen.join(' ') })
  expect(await markNoticesSeen(max, form)).toMatchObject({ unseen: 0 })
})

it.each(['end-user', 'support', 'auditor'] as const)('is not for %s', async (role) => {
  await expect(listNotices(callerWith(role))).rejects.toThrow(NotAllowed)
  await expect(countUnseenNotices(callerWith(role))).rejects.toThrow(NotAllowed)
})

it.each(noticeKinds)('%s has a sentence of its own', (kind) => {
  expect(noticeSentence(kind, 'Kim', {})).not.toContain(kind)
})

it('shows a kind of another version as it is', () => {
  expect(noticeSentence('planet-moved', null, {})).toBe('Somebody: planet-moved.')
})
