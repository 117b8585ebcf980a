import pg from 'pg'
import { expect, it } from 'vitest'
import { readBatch } from './batch.ts'
import { withinCost } from './batch-limits.ts'
import { SubjectCache } from './subject-cache.ts'

const bodyOf = (text: string) => ({ body: Buffer.from(text) })
const nested = (depth: number) => bodyOf('['.repeat(depth) + ']'.repeat(depth))
const cheap = bodyOf('{"type":"KYC"}')
const large = bodyOf('x'.repeat(1_000_000))
const gone = { body: null }

it('takes everything that is read in no time, and one body that is not', () => {
  const [one, another] = [nested(499_000), nested(499_000)]
  expect(withinCost([cheap, one, gone, another, large, cheap])).toEqual({
    batch: [cheap, one, gone, large, cheap],
    left: [another],
    isCostly: true,
  })
})

it('takes several that are read in no time together', () => {
  const some = [nested(100_000), nested(100_000), nested(100_000), nested(100_000)]
  expect(withinCost(some)).toEqual({ batch: some.slice(0, 3), left: some.slice(3), isCostly: true })
})

it('leaves nothing for ever', () => {
  let left: readonly { readonly body: Uint8Array | null }[] = Array.from({ length: 16 }, () =>
    nested(499_000),
  )
  let batches = 0
  for (; left.length > 0; batches++) left = withinCost(left).left
  expect(batches).toBe(16)
})

it('folds what a run has read already again after new evidence alone', async () => {
  const [run, uuid] = [crypto.randomUUID(), 'u']
  const subjects = new SubjectCache(new pg.Pool())
  const nothing = { facts: new Map(), events: new Map(), transactionKey: null, standingKeys: new Map() }
  subjects.keep(`entity:${uuid}`, nothing, run)
  const read = async (version: number) => {
    const body = Buffer.from(JSON.stringify({ type: 'KYC', subType: 'x', uuid, data: {} }))
    const taken = { id: 'd', order: 1n, receivedAt: 0, receiver: 'r', answer: 'sure', body } as const
    const pending = { ...taken, subjectIds: [`entity:${uuid}`], run, version }
    const { groups, alreadyDone } = await readBatch([pending], subjects, () => true)
    return [groups.length, alreadyDone.length]
  }
  expect(await read(0)).toEqual([0, 1])
  expect(await read(1)).toEqual([1, 0])
})
