import { expect, test } from 'vitest'
import { afterTry, type Tried, type TryOutcome } from './mail-states.ts'

const now = new Date('2026-11-28T12:00:00Z')
const tried = (given: Partial<Tried> = {}): Tried => ({
  tries: 1,
  unsure: 0,
  giveUpAt: new Date(now.getTime() + 86_400_000),
  ...given,
})
const outcome = (kind: TryOutcome['kind']): TryOutcome => ({ kind, answer: 'said' })
const minutesUntil = (at: Date | null) => at && (at.getTime() - now.getTime()) / 60_000

test('has ended once it was accepted', () =>
  expect(afterTry(tried({ unsure: 1 }), outcome('taken'), now)).toEqual({
    state: 'sent',
    unsure: 1,
    nextAt: null,
  }))

test('has ended for a recipient who is refused for ever', () =>
  expect(afterTry(tried(), outcome('refused'), now)).toMatchObject({ state: 'failed', nextAt: null }))

test('waits longer each time, and at most half an hour', () =>
  expect(
    [1, 2, 3, 4, 5, 6, 20].map((tries) =>
      minutesUntil(afterTry(tried({ tries }), outcome('later'), now).nextAt),
    ),
  ).toEqual([1, 2, 4, 8, 16, 30, 30]))

test('is not tried after its deadline', () => {
  const giveUpAt = new Date(now.getTime() + 60_000)
  expect(afterTry(tried({ giveUpAt }), outcome('later'), now)).toMatchObject({
    state: 'failed',
    nextAt: null,
  })
  expect(afterTry(tried({ giveUpAt }), outcome('unsure'), now)).toMatchObject({
    state: 'unknown',
    nextAt: null,
  })
})

test('is repeated twice when it may have arrived, and later than one that surely did not arrive', () => {
  const first = afterTry(tried(), outcome('unsure'), now)
  const second = afterTry(tried({ tries: 2, unsure: first.unsure }), outcome('unsure'), now)
  const third = afterTry(tried({ tries: 3, unsure: second.unsure }), outcome('unsure'), now)
  expect([first, second, third].map(({ state, nextAt }) => [state, minutesUntil(nextAt)])).toEqual([
    ['waiting', 30],
    ['waiting', 60],
    ['unknown', null],
  ])
})

test('is not called failed when an earlier try may have arrived', () =>
  expect(afterTry(tried({ tries: 2, unsure: 1 }), outcome('refused'), now)).toMatchObject({
    state: 'unknown',
  }))
