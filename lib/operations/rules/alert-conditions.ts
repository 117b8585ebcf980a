import { may, type Permission, type Role } from '#lib/access/rules/roles.ts'

/** An urgent condition means that deliveries are lost or will be soon, or that somebody attacks. Quiet hours do not hold it back. */
export type Urgency = 'urgent' | 'warning'

/** A condition measures a number in one of these units. */
export type AlertUnit =
  | 'seconds'
  | 'minutes'
  | 'hours'
  | 'days'
  | 'percent'
  | 'gigabytes'
  | 'deliveries'
  | 'events'
  | 'sign-ins'
  | 'faults'

/** The subject of an alert is one of these things; `none` for a condition that has one subject. */
type Subject = 'none' | 'endpoint' | 'gap' | 'reason' | 'host' | 'table' | 'migration' | 'type' | 'clock'

interface AlertCondition {
  readonly urgency: Urgency
  readonly unit: AlertUnit
  /** `at-least`: the alert fires when the value reaches the threshold. `at-most`: it fires when the value sinks to it. */
  readonly fires: 'at-least' | 'at-most'
  /** A rule without a row has this threshold, and is on unless `isOff`. */
  readonly threshold: number
  readonly isOff?: true
  /** A person may set a threshold from `least` to `most`. */
  readonly least: number
  readonly most: number
  readonly subject: Subject
  /** Members without this permission neither see nor receive such alerts. */
  readonly needs: Permission
  /** A slow measurement runs every five minutes, and any other in each round. */
  readonly isSlow?: true
  /**
   * The address leads to the page where the problem is seen, or to the page Alerts. Everybody who gets the alert may open it.
   * The subject replaces `{subject}`.
   */
  readonly page: string
}

/** An alert has one of these conditions. Their words are in `alert-labels.ts`, and `docs/alerts.md` has a runbook of each. */
export const alertConditions = {
  'endpoint-off': {
    urgency: 'urgent',
    unit: 'minutes',
    fires: 'at-least',
    threshold: 5,
    least: 0,
    most: 1_440,
    subject: 'endpoint',
    needs: 'see-endpoint-health',
    page: '/endpoints/{subject}',
  },
  'endpoint-failing': {
    urgency: 'urgent',
    unit: 'deliveries',
    fires: 'at-least',
    threshold: 10,
    least: 1,
    most: 100_000,
    subject: 'endpoint',
    needs: 'see-endpoint-health',
    page: '/endpoints/{subject}',
  },
  'deliveries-missed': {
    urgency: 'urgent',
    unit: 'minutes',
    fires: 'at-least',
    threshold: 1,
    least: 0,
    most: 10_080,
    subject: 'gap',
    needs: 'see-endpoint-health',
    page: '/gaps/{subject}',
  },
  silence: {
    urgency: 'urgent',
    unit: 'minutes',
    fires: 'at-least',
    threshold: 0,
    least: 0,
    most: 10_080,
    subject: 'gap',
    needs: 'see-endpoint-health',
    page: '/gaps/{subject}',
  },
  'backlog-size': {
    urgency: 'warning',
    unit: 'deliveries',
    fires: 'at-least',
    threshold: 10_000,
    least: 1,
    most: 1_000_000,
    subject: 'none',
    needs: 'see-endpoint-health',
    page: '/overview',
  },
  'backlog-age': {
    urgency: 'warning',
    unit: 'seconds',
    fires: 'at-least',
    threshold: 120,
    least: 5,
    most: 86_400,
    subject: 'none',
    needs: 'see-endpoint-health',
    page: '/overview',
  },
  'dead-letters': {
    urgency: 'warning',
    unit: 'deliveries',
    fires: 'at-least',
    threshold: 1,
    least: 1,
    most: 1_000_000,
    subject: 'none',
    needs: 'see-endpoint-health',
    page: '/overview',
  },
  'no-projector': {
    urgency: 'urgent',
    unit: 'seconds',
    fires: 'at-least',
    threshold: 60,
    least: 5,
    most: 86_400,
    subject: 'none',
    needs: 'see-endpoint-health',
    page: '/overview',
  },
  'no-live-process': {
    urgency: 'warning',
    unit: 'seconds',
    fires: 'at-least',
    threshold: 60,
    least: 5,
    most: 86_400,
    subject: 'host',
    needs: 'see-endpoint-health',
    page: '/alerts',
  },
  'refused-deliveries': {
    urgency: 'warning',
    unit: 'deliveries',
    fires: 'at-least',
    threshold: 10,
    least: 1,
    most: 1_000_000,
    subject: 'reason',
    needs: 'see-endpoint-health',
    page: '/endpoints',
  },
  'key-refused': {
    urgency: 'urgent',
    unit: 'minutes',
    fires: 'at-least',
    threshold: 0,
    least: 0,
    most: 1_440,
    subject: 'none',
    needs: 'see-endpoint-health',
    page: '/overview',
  },
  'service-away': {
    urgency: 'warning',
    unit: 'minutes',
    fires: 'at-least',
    threshold: 5,
    least: 0,
    most: 1_440,
    subject: 'none',
    needs: 'see-endpoint-health',
    page: '/overview',
  },
  'sign-in-attacks': {
    urgency: 'urgent',
    unit: 'sign-ins',
    fires: 'at-least',
    threshold: 50,
    least: 1,
    most: 100_000,
    subject: 'none',
    needs: 'read-audit',
    page: '/audit',
  },
  'audit-broken': {
    urgency: 'urgent',
    unit: 'faults',
    fires: 'at-least',
    threshold: 1,
    least: 1,
    most: 1_000,
    subject: 'none',
    needs: 'read-audit',
    page: '/audit',
  },
  'disk-full': {
    urgency: 'urgent',
    unit: 'percent',
    fires: 'at-least',
    threshold: 90,
    least: 1,
    most: 100,
    subject: 'host',
    needs: 'see-endpoint-health',
    page: '/alerts',
  },
  'database-full': {
    urgency: 'urgent',
    unit: 'gigabytes',
    fires: 'at-least',
    threshold: 100,
    isOff: true,
    least: 0.01,
    most: 1_000_000,
    subject: 'none',
    needs: 'see-endpoint-health',
    isSlow: true,
    page: '/alerts',
  },
  'month-missing': {
    urgency: 'warning',
    unit: 'days',
    fires: 'at-most',
    threshold: 14,
    least: 0,
    most: 150,
    subject: 'table',
    needs: 'see-endpoint-health',
    isSlow: true,
    page: '/alerts',
  },
  'migration-failed': {
    urgency: 'warning',
    unit: 'hours',
    fires: 'at-least',
    threshold: 2,
    least: 0,
    most: 168,
    subject: 'migration',
    needs: 'see-endpoint-health',
    isSlow: true,
    page: '/alerts',
  },
  'unknown-type': {
    urgency: 'warning',
    unit: 'events',
    fires: 'at-least',
    threshold: 1,
    least: 1,
    most: 1_000,
    subject: 'type',
    needs: 'work-on-cases',
    page: '/overview',
  },
  'transaction-stuck': {
    urgency: 'warning',
    unit: 'hours',
    fires: 'at-least',
    threshold: 24,
    least: 0,
    most: 8_760,
    subject: 'none',
    needs: 'see-everything',
    isSlow: true,
    page: '/overview?look=stuck',
  },
  'transaction-held': {
    urgency: 'warning',
    unit: 'hours',
    fires: 'at-least',
    threshold: 48,
    least: 0,
    most: 8_760,
    subject: 'none',
    needs: 'see-everything',
    isSlow: true,
    page: '/overview?look=held',
  },
  'certificate-expiry': {
    urgency: 'warning',
    unit: 'days',
    fires: 'at-most',
    threshold: 14,
    least: 1,
    most: 365,
    subject: 'host',
    needs: 'see-endpoint-health',
    isSlow: true,
    page: '/alerts',
  },
  'clock-difference': {
    urgency: 'warning',
    unit: 'seconds',
    fires: 'at-least',
    threshold: 30,
    least: 1,
    most: 86_400,
    subject: 'clock',
    needs: 'see-endpoint-health',
    page: '/alerts',
  },
  'backup-old': {
    urgency: 'warning',
    unit: 'days',
    fires: 'at-least',
    threshold: 2,
    least: 0.01,
    most: 365,
    subject: 'none',
    needs: 'see-endpoint-health',
    isSlow: true,
    page: '/alerts',
  },
} as const satisfies Record<string, AlertCondition>

/** The condition `backup-old` has this subject until the first backup. */
export const noBackup = 'none'

export type ConditionCode = keyof typeof alertConditions

const isCode = (text: string): text is ConditionCode => Object.hasOwn(alertConditions, text)

export const conditionCodes: readonly ConditionCode[] = Object.keys(alertConditions).filter(isCode)

/** The parser returns null for a condition of another version. */
export const parseCondition = (text: string): ConditionCode | null => (isCode(text) ? text : null)

export const conditionOf = (code: ConditionCode): AlertCondition => alertConditions[code]

/** These conditions are for a role. */
export const conditionsFor = (role: Role): ConditionCode[] =>
  conditionCodes.filter((code) => may(role, conditionOf(code).needs))

/** The address leads to the page of an alert, below the address of this dashboard. */
export const pageOfAlert = (code: ConditionCode, subject: string): string =>
  conditionOf(code).page.replace('{subject}', encodeURIComponent(subject))
