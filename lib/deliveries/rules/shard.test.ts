import { expect, test } from 'vitest'
import { shardCount, shardHash } from './subject.ts'

test('subjects are spread evenly over the shards', () => {
  const counts = Array.from({ length: shardCount }, () => 0)
  for (let n = 0; n < 8_000; n++) {
    const shard = shardHash(`transaction:2046967a-0000-4000-8000-${String(n).padStart(12, '0')}`) % shardCount
    counts[shard] = (counts[shard] ?? 0) + 1
  }
  expect(Math.min(...counts)).toBeGreaterThan(850)
  expect(Math.max(...counts)).toBeLessThan(1_150)
})

test('a hash never changes, because rows of the queue store it', () => {
  expect(['', 'transaction:t-1', 'entity:ü€😀'].map(shardHash)).toMatchInlineSnapshot(`
    [
      68,
      64,
      60,
    ]
  `)
})
