import { expect, it } from 'vitest'
import { PerEntry } from './kept-place.ts'

it('keeps the values of the latest thirty entries', () => {
  const kept = new PerEntry<number>()
  for (let entry = 0; entry < 31; entry++) kept.set(`entry-${entry}`, entry)
  kept.set('entry-1', 100)
  kept.set('entry-31', 31)
  expect(kept.get('entry-0')).toBeUndefined()
  expect(kept.get('entry-1')).toBe(100)
  expect(kept.get('entry-2')).toBeUndefined()
  expect(kept.get('entry-31')).toBe(31)
})

it('keeps nothing when entries are not told apart', () => {
  const kept = new PerEntry<number>()
  kept.set(null, 1)
  expect(kept.get(null)).toBeUndefined()
})
