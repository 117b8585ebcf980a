import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { streamOf } from './answer-file.ts'

const signedIn = async () => true

it('makes no more of a file than is taken, and stops when nobody takes it', async () => {
  let [made, ended] = [0, false]
  async function* portions() {
    try {
      for (;;) yield String(++made)
    } finally {
      ended = true
    }
  }
  const reader = streamOf(portions(), signedIn).getReader()
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toBe('1')
  // One portion is made ahead.
  expect(made).toBeLessThanOrEqual(2)
  await reader.cancel()
  expect(ended).toBe(true)
  expect(made).toBeLessThanOrEqual(2)
})

it.each([
  ['its caller is signed in no more', async () => false],
  ['nobody can say whether they are', () => Promise.reject(new Error('the database is down'))],
])('breaks off within a second, also when nobody reads, once %s', async (_when, ended) => {
  let [check, made, over]: [() => Promise<boolean>, number, boolean] = [signedIn, 0, false]
  async function* portions() {
    try {
      for (;;) yield String(++made)
    } finally {
      over = true
    }
  }
  const reader = streamOf(portions(), () => check()).getReader()
  // The stream goes on past a check while all is well.
  for (let count = 0; count < 8; count++) {
    expect(await reader.read()).toMatchObject({ done: false })
    await sleep(100)
  }
  check = ended
  const before = made
  await sleep(1_000)
  // The portion made ahead is not sent either.
  await expect(reader.read()).rejects.toThrow()
  expect([made, over]).toEqual([before, true])
})

it('asks no more whether it may go on once the file has failed by itself', async () => {
  let asked = 0
  async function* portions() {
    yield 'the first lines'
    throw new Error('the database is down')
  }
  const mayGoOn = async () => {
    asked += 1
    return true
  }
  const reader = streamOf(portions(), mayGoOn).getReader()
  await reader.read()
  await expect(reader.read()).rejects.toThrow('the database is down')
  await sleep(1_200)
  expect(asked).toBe(0)
})

it('breaks off in the middle of a portion that takes long to make', async () => {
  const endless = Promise.withResolvers<void>()
  async function* portions() {
    yield 'the first lines'
    await endless.promise
    yield 'the rest'
  }
  const reader = streamOf(portions(), async () => false).getReader()
  await reader.read()
  await expect(reader.read()).rejects.toThrow('signed in no more')
  endless.resolve()
  await expect(reader.read()).rejects.toThrow('signed in no more')
})
