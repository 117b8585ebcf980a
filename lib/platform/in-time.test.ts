import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inTime } from './in-time.ts'

it('gives the result or the error of work that is in time', async () => {
  expect(await inTime(Promise.resolve(1), 60_000, 'late')).toBe(1)
  await expect(inTime(Promise.reject(new Error('no')), 60_000, 'late')).rejects.toThrow('no')
})

it('gives what it was told when the work is late, whose later error nobody has to catch', async () => {
  const failing = sleep(30).then(() => {
    throw new Error('too late')
  })
  expect(await inTime(failing, 1, 'late')).toBe('late')
  await sleep(40)
})
