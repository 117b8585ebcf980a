import { expect, it } from 'vitest'
import { isSampleFull, mostOfAMinute } from './refusal-reasons.ts'

const minute = Date.UTC(2026, 10, 21, 12)
const listed = (count: number, receiverId = 'r', why = 'database', from = minute) =>
  Array.from({ length: count }, (_, index) => ({ receiverId, why, at: from + index }))

it('is full when a minute has the limit of one receiver and reason', () => {
  expect(isSampleFull(listed(mostOfAMinute - 1))).toBe(false)
  expect(isSampleFull(listed(mostOfAMinute))).toBe(true)
})

it('counts receivers, reasons and minutes separately', () => {
  const half = mostOfAMinute / 2
  expect(isSampleFull([...listed(half), ...listed(half, 'other')])).toBe(false)
  expect(isSampleFull([...listed(half), ...listed(half, 'r', 'too-late')])).toBe(false)
  expect(isSampleFull([...listed(half), ...listed(half, 'r', 'database', minute + 60_000)])).toBe(false)
})
