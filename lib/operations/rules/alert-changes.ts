import { type AlertUnit, type ConditionCode, conditionOf } from './alert-conditions.ts'

/** A rule says when a condition fires and who is notified. It has the defaults of its condition until an admin changes it. */
export interface AlertRule {
  readonly condition: ConditionCode
  readonly enabled: boolean
  readonly threshold: number
  /** These channels get the alerts; null for all. E-mail has the id `emailChannelId`. */
  readonly channels: readonly string[] | null
  /** An alert that nobody acknowledged is repeated after so many hours; 0 for never. */
  readonly repeatHours: number
}

/** The e-mails of members are one channel, which needs no row. */
export const emailChannelId = '00000000-0000-7000-8000-000000000001'

export const defaultRule = (condition: ConditionCode): AlertRule => {
  const { threshold, isOff = false, urgency } = conditionOf(condition)
  return { condition, enabled: !isOff, threshold, channels: null, repeatHours: urgency === 'urgent' ? 4 : 24 }
}

/** A measurement of one subject, in the unit of its condition. */
export interface Measured {
  readonly subject: string
  /** The value is null when nobody can know it now; an alert of the subject then stays as it is. */
  readonly value: number | null
  /** It began at this time, in ms since 1970; null when only now is known. */
  readonly since: number | null
}

/** An alert fires: nobody has seen its end. Times are ms since 1970. */
export interface FiringAlert {
  readonly id: string
  readonly condition: ConditionCode
  readonly subject: string
  /** The limit of the rule when it fired. */
  readonly threshold: number
  /** Nothing has been wrong since this time; null while something is. A time in the future counts as now. */
  readonly okSince: number | null
  /**
   * It is 0 when an acknowledgement held back the news of the firing. In the future, the clock was set back since, and nobody
   * knows how long ago that was.
   */
  readonly notifiedAt: number
  readonly acknowledged: boolean
  /** The value when it was acknowledged; null while it is not. */
  readonly acknowledgedValue: number | null
}

/** `isFiring` is true when a value reaches the threshold of its rule. */
export const isFiring = ({ condition, enabled, threshold }: AlertRule, value: number): boolean =>
  enabled && (conditionOf(condition).fires === 'at-least' ? value >= threshold : value <= threshold)

type Known = Measured & { readonly value: number }

export interface AlertChanges {
  readonly fire: readonly Known[]
  /**
   * These alerts go on; `repeat` when people are to be notified again, and `reopen` when it got so much worse that its
   * acknowledgement ends.
   */
  readonly keep: readonly {
    readonly id: string
    readonly value: number
    readonly repeat: boolean
    readonly reopen: boolean
  }[]
  /** Nothing is wrong any more, but not for long enough. */
  readonly settle: readonly string[]
  readonly resolve: readonly string[]
  /** These end although their cause may go on: the rule was switched off, or its threshold moved past the value. */
  readonly unwatch: readonly string[]
}

/**
 * `compareAlerts` compares what was measured of one condition with its firing alerts. An alert is resolved when nothing has been
 * wrong for `settleMs`, so that a value around the threshold is one alert.
 * @param measured null when nobody could measure; all alerts then stay as they are
 */
export function compareAlerts(
  rule: AlertRule,
  measured: readonly Measured[] | null,
  firing: readonly FiringAlert[],
  { now, settleMs }: { readonly now: number; readonly settleMs: number },
): AlertChanges {
  if (measured === null && rule.enabled) return { fire: [], keep: [], settle: [], resolve: [], unwatch: [] }
  const values = measured ?? []
  const wrong = new Map(values.filter(isWrong(rule)).map((one) => [one.subject, one]))
  const unknown = new Set(values.flatMap(({ subject, value }) => (value === null ? [subject] : [])))
  const known = new Set(firing.map(({ subject }) => subject))
  const over = firing.filter(({ subject }) => !rule.enabled || !(wrong.has(subject) || unknown.has(subject)))
  const isUnwatched = ({ subject, threshold }: FiringAlert) =>
    !rule.enabled || values.some((one) => one.subject === subject && isWrong({ ...rule, threshold })(one))
  const isSettled = ({ okSince }: FiringAlert) => !rule.enabled || now - (okSince ?? now) >= settleMs
  const ended = over.filter(isSettled)
  return {
    fire: [...wrong.values()].filter(({ subject }) => !known.has(subject)),
    keep: firing.flatMap((alert) => {
      const found = wrong.get(alert.subject)
      if (!found) return []
      const reopen = isMuchWorse(alert, found.value)
      return [{ id: alert.id, value: found.value, repeat: reopen || isToRepeat(rule, alert, now), reopen }]
    }),
    settle: over.filter((alert) => !isSettled(alert)).map(({ id }) => id),
    resolve: ended.filter((alert) => !isUnwatched(alert)).map(({ id }) => id),
    unwatch: ended.filter(isUnwatched).map(({ id }) => id),
  }
}

const isWrong =
  (rule: AlertRule) =>
  (one: Measured): one is Known =>
    one.value !== null && isFiring(rule, one.value)

/** An acknowledged count may grow less than so many times. An age grows by itself, so it says nothing new. */
const mostGrowth: Partial<Record<AlertUnit, number>> = { deliveries: 2, events: 2, 'sign-ins': 2 }

/** Each new fault of the audit chain is another sign that somebody changes the log. */
function isMuchWorse({ condition, acknowledged, acknowledgedValue: before }: FiringAlert, value: number) {
  if (!acknowledged || before === null) return false
  const { unit } = conditionOf(condition)
  return unit === 'faults' ? value > before : value >= before * (mostGrowth[unit] ?? Number.POSITIVE_INFINITY)
}

const isToRepeat = (
  { repeatHours }: AlertRule,
  { acknowledged, notifiedAt }: FiringAlert,
  now: number,
): boolean =>
  !acknowledged &&
  (notifiedAt === 0 || (repeatHours > 0 && (notifiedAt > now || now - notifiedAt >= repeatHours * 3_600_000)))

/** The worse of two values is the one that is farther on the side of the threshold where the condition fires. */
export const worseOf = (condition: ConditionCode, one: number, other: number): number =>
  conditionOf(condition).fires === 'at-least' ? Math.max(one, other) : Math.min(one, other)
