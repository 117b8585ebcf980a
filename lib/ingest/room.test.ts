import { expect, test } from 'vitest'
import { openRoom } from './room.ts'

test('bodies beyond the room are turned away until others have left', () => {
  const room = openRoom(100)
  const leave = room.take(60)
  expect(room.take(60)).toBeNull()
  expect(room.take(null)).toBeNull()
  expect(room.take(40)).not.toBeNull()
  leave?.()
  expect(room.take(60)).not.toBeNull()
})
