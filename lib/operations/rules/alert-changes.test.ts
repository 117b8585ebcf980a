import { describe, expect, it, test } from 'vitest'
import { may, type Permission, roles, staffRoles } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { compareAlerts, defaultRule, type FiringAlert, isFiring, worseOf } from './alert-changes.ts'
import {
  conditionCodes,
  conditionOf,
  conditionsFor,
  pageOfAlert,
  parseCondition,
} from './alert-conditions.ts'
import { isAttentionKind } from './attention-kinds.ts'

const rule = defaultRule('dead-letters')
const times = { now: 1_000_000, settleMs: 60_000 }
const firing = (given: Partial<FiringAlert> = {}): FiringAlert => ({
  id: 'a',
  condition: 'dead-letters',
  subject: '',
  threshold: 1,
  okSince: null,
  notifiedAt: times.now,
  acknowledged: false,
  acknowledgedValue: null,
  ...given,
})
const measured = (value: number, subject = '') => [{ subject, value, since: null }]
const nothing = { fire: [], keep: [], settle: [], resolve: [], unwatch: [] }

test.each(conditionCodes)(
  '%s has a default threshold within its limits, which fires at its value',
  (code) => {
    const { threshold, least, most, isOff, fires } = conditionOf(code)
    expect(threshold).toBeGreaterThanOrEqual(least)
    expect(threshold).toBeLessThanOrEqual(most)
    const usual = { ...defaultRule(code), enabled: true }
    expect(defaultRule(code).enabled).toBe(!isOff)
    expect(isFiring(usual, threshold)).toBe(true)
    expect(isFiring(usual, fires === 'at-least' ? threshold - 0.001 : threshold + 0.001)).toBe(false)
    expect(isFiring({ ...usual, enabled: false }, threshold)).toBe(false)
  },
)

it('does not know the conditions of other versions', () => {
  expect(parseCondition('dead-letters')).toBe('dead-letters')
  for (const text of ['toString', '', 'made-up']) expect(parseCondition(text)).toBeNull()
})

it('leads to the page of the subject, whatever the subject holds', () => {
  expect(pageOfAlert('endpoint-off', '../x?y')).toBe('/endpoints/..%2Fx%3Fy')
})

it('shows the pages of alerts to each role that some condition is for', () => {
  for (const role of roles) expect(may(role, 'see-alerts'), role).toBe(conditionsFor(role).length > 0)
})

it.each([
  ['unknown-type', 'unknown'],
  ['endpoint-off', 'endpoint'],
  ['endpoint-failing', 'endpoint'],
  ['transaction-stuck', 'state'],
  ['transaction-held', 'state'],
] as const)('shows %s to exactly the staff who may know what it tells: %s', (code, sort) => {
  const knowing = staffRoles.filter((role) => visibilityOf(role, sort) !== 'hidden')
  expect(staffRoles.filter((role) => conditionsFor(role).includes(code))).toEqual(knowing)
})

/** These permissions open the pages of alerts. */
const pages: Readonly<Record<string, Permission>> = {
  '/alerts': 'see-alerts',
  '/audit': 'read-audit',
  '/endpoints': 'see-endpoint-health',
  '/gaps': 'see-endpoint-health',
  '/overview': 'see-everything',
}

test.each(conditionCodes)(
  '%s leads to a page that everybody who gets it may open, in words it knows',
  (code) => {
    const page = new URL(pageOfAlert(code, 'x'), 'https://dash.example.com')
    const needed = pages[`/${page.pathname.split('/')[1]}`]
    expect(needed).toBeDefined()
    for (const role of roles)
      if (may(role, conditionOf(code).needs)) expect(needed && may(role, needed)).toBe(true)
    for (const [name, value] of page.searchParams)
      expect([name, isAttentionKind(value)]).toEqual(['look', true])
  },
)

describe('changes of an alert', () => {
  it('fires once for each subject whose value reaches the threshold', () => {
    const both = [...measured(1, 'one'), ...measured(2, 'two')]
    expect(compareAlerts(rule, both, [], times).fire).toEqual(both)
    expect(compareAlerts(rule, both, [firing({ subject: 'one' })], times)).toMatchObject({
      fire: measured(2, 'two'),
      keep: [{ id: 'a', value: 1, repeat: false, reopen: false }],
    })
    expect(compareAlerts(rule, measured(0), [], times)).toEqual(nothing)
  })

  it('changes nothing when nobody could measure', () => {
    expect(compareAlerts(rule, null, [firing()], times)).toEqual(nothing)
  })

  it.each([
    ['first', null, 'settle'],
    ['after less than a minute', times.now - 59_999, 'settle'],
    ['after a minute', times.now - 60_000, 'resolve'],
    ['the clock was set back since', times.now + 3_600_000, 'settle'],
  ] as const)('settles before it is resolved: %s', (_when, okSince, what) => {
    const alert = firing({ okSince })
    expect(compareAlerts(rule, measured(0), [alert], times)).toEqual({ ...nothing, [what]: ['a'] })
    expect(compareAlerts(rule, [], [alert], times)).toEqual({ ...nothing, [what]: ['a'] })
  })

  it('is one alert when the value comes back while it settles', () => {
    const alert = firing({ okSince: times.now - 30_000 })
    expect(compareAlerts(rule, measured(3), [alert], times)).toEqual({
      ...nothing,
      keep: [{ id: 'a', value: 3, repeat: false, reopen: false }],
    })
  })

  it('ends at once when its rule is switched off, which is no sign that its cause is gone', () => {
    for (const found of [measured(5), null])
      expect(compareAlerts({ ...rule, enabled: false }, found, [firing()], times)).toEqual({
        ...nothing,
        unwatch: ['a'],
      })
  })

  it('is resolved only where its value is below the threshold that it fired at, when that was raised', () => {
    const raised = { ...rule, threshold: 10 }
    const alert = firing({ threshold: 2, okSince: 0 })
    expect(compareAlerts(raised, measured(5), [alert], times)).toEqual({ ...nothing, unwatch: ['a'] })
    for (const found of [measured(1), []])
      expect(compareAlerts(raised, found, [alert], times)).toEqual({ ...nothing, resolve: ['a'] })
  })

  it.each([
    ['nobody acknowledged it', {}, true],
    ['somebody acknowledged it', { acknowledged: true }, false],
    ['the clock was set back since', { notifiedAt: times.now + 1 }, true],
    ['it was told lately', { notifiedAt: times.now - 24 * 3_600_000 + 1 }, false],
  ])('is repeated after the hours of its rule when %s', (_when, given, repeat) => {
    const alert = firing({ notifiedAt: times.now - 24 * 3_600_000, ...given })
    expect(compareAlerts(rule, measured(1), [alert], times).keep).toMatchObject([{ value: 1, repeat }])
    const never = { ...rule, repeatHours: 0 }
    expect(compareAlerts(never, measured(1), [alert], times).keep).toMatchObject([{ repeat: false }])
  })

  it('is repeated at once when its firing was not sent to all, unless somebody acknowledged it', () => {
    const never = { ...rule, repeatHours: 0 }
    for (const acknowledged of [true, false])
      expect(
        compareAlerts(never, measured(1), [firing({ notifiedAt: 0, acknowledged })], times).keep,
      ).toMatchObject([{ repeat: !acknowledged }])
  })

  it.each([
    ['dead-letters', 3, 5, false],
    ['dead-letters', 3, 6, true],
    ['backlog-size', 10_000, 19_999, false],
    ['backlog-size', 10_000, 20_000, true],
    ['sign-in-attacks', 60, 120, true],
    ['audit-broken', 2, 2, false],
    ['audit-broken', 2, 3, true],
    ['endpoint-off', 10, 1_000, false],
    ['certificate-expiry', 9, 1, false],
  ] as const)(
    'is not acknowledged any more when it is much worse: %s, %d then and %d now',
    (code, then, now, reopen) => {
      const alert = firing({ condition: code, acknowledged: true, acknowledgedValue: then })
      const keep = (given: Partial<FiringAlert> = {}) =>
        compareAlerts(defaultRule(code), measured(now), [{ ...alert, ...given }], times).keep
      expect(keep()).toEqual([{ id: 'a', value: now, repeat: reopen, reopen }])
      expect(keep({ acknowledged: false, acknowledgedValue: null })).toMatchObject([{ reopen: false }])
    },
  )

  it('keeps the worse of two values', () => {
    expect(worseOf('disk-full', 90, 95)).toBe(95)
    expect(worseOf('certificate-expiry', 9, 3)).toBe(3)
  })
})

describe('a value that nobody can know now', () => {
  const unknown = [{ subject: 'a', value: null, since: null }]
  it('fires nothing, and keeps the alert of its subject alone', () => {
    expect(compareAlerts(rule, unknown, [], times)).toEqual(nothing)
    const ended = [
      firing({ id: '1', subject: 'a', okSince: 0 }),
      firing({ id: '2', subject: 'b', okSince: 0 }),
    ]
    expect(compareAlerts(rule, unknown, ended, times)).toEqual({ ...nothing, resolve: ['2'] })
  })

  it('ends with its rule', () => {
    const off = { ...rule, enabled: false }
    expect(compareAlerts(off, unknown, [firing({ id: '1', subject: 'a' })], times).unwatch).toEqual(['1'])
  })
})
