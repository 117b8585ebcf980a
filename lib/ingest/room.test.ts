import { expect, test } from 'vitest'
import { openRoom } from './room.ts'

test('bodies beyond the room are turned away until others have left', () => {
  const room = openRoom(100)
  const first = room.enter()
  const second = room.enter()
  expect(first.take(30)).toBe(true)
  expect(first.take(30)).toBe(true)
  expect(second.take(60)).toBe(false)
  expect(second.take(40)).toBe(true)
  first.leave()
  expect(second.take(60)).toBe(true)
  second.leave()
  expect(room.enter().take(100)).toBe(true)
})
