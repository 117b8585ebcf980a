import { expect, it } from 'vitest'
import { earliestAttempt } from '#lib/domain/timeline/earliest-attempt.ts'
import { quietSince } from './quiet-since.ts'

const quarter = 15 * 60_000
const quiet = { began: 1_000_000, ended: 1_000_000 + quarter }

it.each([
  ['nothing, where the quiet was shorter than that', 1_966_000, { ...quiet, ended: quiet.ended - 1 }, null],
  ['a first attempt three waits before', 1_966_500, quiet, 1_066_700],
  ['a first attempt four waits before', quiet.began + 4_098_000 + 850_000, quiet, 1_000_001],
  ['nothing, when five waits lead back to it', quiet.began + 15_627_000 + 850_000, quiet, null],
  ['nothing, where no wait leads back to it', quiet.ended + 300_000 + 900_000, quiet, null],
])('a quiet explains %s', (_, receivedAt, span, expected) => {
  expect(quietSince(receivedAt, [span])).toBe(expected)
})

it('never joins two quiets: a delivery between them was received', () => {
  // The last attempt before it may have failed in the second, all others only in the first.
  const second = { began: 4_000_000, ended: 4_000_000 + quarter }
  const receivedAt = second.began + 60_000 + 4_098_000
  const first = { began: 3_000_000, ended: 4_000_000 }
  expect(earliestAttempt(receivedAt, [first, second])).not.toBeNull()
  expect(quietSince(receivedAt, [first, second])).toBeNull()
})
