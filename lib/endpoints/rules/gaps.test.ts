import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { retriesAfterGap } from '#lib/deliveries/rules/retry-schedule.ts'
import { type GapChanges, type GapInterval, joinEvidence, type KnownGap } from './gaps.ts'

const near = 10
const now = 1_000

const gap = (id: string, began: number, ended: number | null, closed = false): KnownGap => ({
  id,
  began,
  ended,
  closed,
  reopened: false,
})

const nothing: GapChanges = { added: [], changed: [], removed: [] }

describe('evidence of a gap', () => {
  it.each<[name: string, known: KnownGap[], seen: GapInterval[], changes: Partial<GapChanges>]>([
    ['makes a gap', [], [{ began: 1, ended: 5 }], { added: [{ began: 1, ended: 5 }] }],
    ['that is known changes nothing', [gap('a', 1, 5)], [{ began: 1, ended: 5 }], {}],
    ['within a known gap changes nothing', [gap('a', 1, 50)], [{ began: 7, ended: 9 }], {}],
    ['that lasts goes on', [gap('a', 1, null)], [{ began: 1, ended: null }], {}],
    ['from before a restart goes on', [gap('a', 1, null)], [{ began: 700, ended: null }], {}],
    [
      'near a known gap makes it longer',
      [gap('a', 1, 5)],
      [{ began: 15, ended: 20 }],
      { changed: [{ id: 'a', began: 1, ended: 20 }] },
    ],
    [
      'further away makes another',
      [gap('a', 1, 5)],
      [{ began: 16, ended: 20 }],
      { added: [{ began: 16, ended: 20 }] },
    ],
    [
      'between two known gaps joins them',
      [gap('a', 1, 5), gap('b', 20, 30)],
      [{ began: 10, ended: 15 }],
      { changed: [{ id: 'a', began: 1, ended: 30 }], removed: ['b'] },
    ],
    [
      'between them joins them in the one that an admin has reopened',
      [gap('a', 1, 5), { ...gap('b', 20, 30), reopened: true }],
      [{ began: 10, ended: 15 }],
      { changed: [{ id: 'b', began: 1, ended: 30 }], removed: ['a'] },
    ],
    ['that is over ends the gap', [gap('a', 1, null)], [], { changed: [{ id: 'a', began: 1, ended: now }] }],
    [
      'that is over since a known moment ends the gap there',
      [gap('a', 1, null)],
      [{ began: 1, ended: 400 }],
      { changed: [{ id: 'a', began: 1, ended: 400 }] },
    ],
    [
      'that comes again opens the gap that has just ended',
      [gap('a', 1, 5)],
      [{ began: 8, ended: null }],
      { changed: [{ id: 'a', began: 1, ended: null }] },
    ],
    ['in a closed gap is answered', [gap('a', 1, 50, true)], [{ began: 7, ended: 9 }], {}],
    [
      'beyond a closed gap makes another, however near',
      [gap('a', 1, 50, true)],
      [{ began: 40, ended: 55 }],
      { added: [{ began: 50, ended: 55 }] },
    ],
    [
      'of a closed gap that lasts changes nothing',
      [gap('a', 1, null, true)],
      [{ began: 1, ended: null }],
      {},
    ],
    [
      'of a closed gap that is over ends it',
      [gap('a', 1, null, true)],
      [],
      { changed: [{ id: 'a', began: 1, ended: now }] },
    ],
  ])('%s', (_name, known, seen, changes) => {
    expect(joinEvidence(known, seen, near, now)).toEqual({ ...nothing, ...changes })
  })

  const ended = fc
    .tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 30 }))
    .map(([began, length]): GapInterval => ({ began, ended: began + length }))
  const interval = fc.oneof(
    { weight: 5, arbitrary: ended },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 0, max: 300 }).map((began): GapInterval => ({ began, ended: null })),
    },
  )

  it('produces the same gaps in whatever order and batches evidence comes', () => {
    fc.assert(
      fc.property(fc.array(ended, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (seen, numbers) => {
        const shuffled = seen
          .map((one) => ({ one, key: numbers.next().value }))
          .toSorted((a, b) => a.key - b.key)
        let portions: KnownGap[] = []
        for (const { one } of shuffled) portions = apply(portions, [one])
        expect(intervalsOf(portions)).toEqual(intervalsOf(apply([], seen)))
      }),
    )
  })

  it('repeated evidence changes nothing, gaps cover all evidence, and no two gaps are neighbours', () => {
    const closedSome = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 })
    fc.assert(
      fc.property(
        fc.array(ended, { maxLength: 6 }),
        closedSome,
        fc.array(interval, { maxLength: 8 }),
        (earlier, closing, seen) => {
          const known = apply([], earlier).map((one, i) => ({ ...one, closed: closing[i] ?? false }))
          const once = apply(known, seen)
          expect(joinEvidence(once, seen, near, now)).toEqual(nothing)
          for (const each of seen) expect(isCovered(each, once)).toBe(true)
          const open = once.filter(({ closed }) => !closed).toSorted((a, b) => a.began - b.began)
          for (const [i, one] of open.entries()) {
            const next = open[i + 1]
            if (next) expect(next.began - (one.ended ?? Number.POSITIVE_INFINITY)).toBeGreaterThan(near)
          }
          const closed = (gaps: readonly KnownGap[]) => gaps.filter((one) => one.closed)
          expect(closed(once)).toEqual(closed(known))
        },
      ),
    )
  })
})

it('computes for how long retries may still deliver what a gap has missed', () => {
  expect(retriesAfterGap(0)).toBe(3 + 32)
  expect(retriesAfterGap(2)).toBe(3 + 32)
  expect(retriesAfterGap(3)).toBe(66 + 32)
  expect(retriesAfterGap(60)).toBe(66 + 32)
  expect(retriesAfterGap(69)).toBe(731 + 32)
  expect(retriesAfterGap(67_182)).toBe(46_658 + 32)
  expect(retriesAfterGap(67_183)).toBeNull()
})

/** These gaps are known after the evidence was joined. */
function apply(known: readonly KnownGap[], seen: readonly GapInterval[]): KnownGap[] {
  const { added, changed, removed } = joinEvidence(known, seen, near, now)
  const kept = known.filter(({ id }) => !removed.includes(id))
  return [
    ...kept.map((one) => ({ ...one, ...changed.find(({ id }) => id === one.id) })),
    ...added.map((one) => ({ ...one, id: `${one.began}`, closed: false, reopened: false })),
  ]
}

const intervalsOf = (gaps: readonly KnownGap[]) =>
  gaps.map(({ began, ended }) => [began, ended]).toSorted(([a], [b]) => Number(a) - Number(b))

/** Every moment of the interval, in steps of one, lies in a gap. */
function isCovered({ began, ended }: GapInterval, gaps: readonly KnownGap[]): boolean {
  for (let at = began; at <= (ended ?? now); at++) {
    if (!gaps.some((one) => one.began <= at && at <= (one.ended ?? now))) return false
  }
  return true
}
