import { expect, it } from 'vitest'
import { noticeKinds, parseNoticeKind } from './notice-kinds.ts'

it('reads each kind, and none of another version', () => {
  for (const kind of noticeKinds) expect(parseNoticeKind(kind)).toBe(kind)
  expect(parseNoticeKind('key-lost')).toBeNull()
  expect(parseNoticeKind('')).toBeNull()
})
