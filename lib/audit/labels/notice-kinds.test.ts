import { expect, it } from 'vitest'
import { noticeKinds, parseNoticeKind } from '#lib/audit/labels/notice-labels.ts'

it('reads each kind, and none of another version', () => {
  for (const kind of noticeKinds) expect(parseNoticeKind(kind)).toBe(kind)
  expect(parseNoticeKind('key-lost')).toBeNull()
  expect(parseNoticeKind('')).toBeNull()
})
