import { expect, test } from 'vitest'
import { limitConcurrency } from './concurrency.ts'

test('runs at most the given number at once, and completes them in order', async () => {
  const turn = limitConcurrency(3)
  const ended: number[] = []
  let underWay = 0
  let most = 0
  await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) =>
      turn(async () => {
        underWay += 1
        most = Math.max(most, underWay)
        await new Promise((resolve) => setTimeout(resolve, 5))
        underWay -= 1
        ended.push(n)
        if (n % 4 === 0) throw new Error('refused')
      }),
    ),
  )
  expect(most).toBe(3)
  expect(ended).toEqual(Array.from({ length: 20 }, (_, n) => n))
})
