import { parseRefusalReason, type RefusalReason } from '#lib/deliveries/rules/refusal-reasons.ts'
import { formatPlainDuration } from '#lib/words/labels/duration.ts'
import {
  type AlertUnit,
  type ConditionCode,
  conditionOf,
  noBackup,
  type Urgency,
} from '../rules/alert-conditions.ts'

interface AlertWords {
  /** The title names the condition on pages. */
  readonly title: string
  /** The sentence says what is measured. */
  readonly measures: string
  /** The sentence says what is wrong with one subject now. It has no full stop. */
  readonly summary: (value: number, subject: string) => string
  /** The sentence says what a person has to do. */
  readonly whatToDo: string
}

/** The words of each condition. None of them names a person, an address or a transaction. */
export const alertWords = {
  'endpoint-off': {
    title: 'Endpoint off',
    measures: 'Minutes since an endpoint was seen as off.',
    summary: (value, subject) => `The endpoint ${short(subject)} has been off for ${minutes(value)}`,
    whatToDo:
      'Open the endpoint: it says who switched it off and why. Activate it when it should deliver again.',
  },
  'endpoint-failing': {
    title: 'Endpoint about to be switched off',
    measures: 'Deliveries of an endpoint that were refused one after another.',
    summary: (value, subject) =>
      `${counted(value, 'delivery', 'deliveries')} in a row were refused at the endpoint ${short(subject)}`,
    whatToDo: 'Open the endpoint and remove the cause, before the provider switches it off.',
  },
  'deliveries-missed': {
    title: 'Deliveries may be missed',
    measures: 'Minutes of a gap that nobody has closed.',
    summary: (value) => `Deliveries may be missing from a gap of ${minutes(value)}`,
    whatToDo: 'Open the gap, compare it with the provider, and close it with what you found.',
  },
  silence: {
    title: 'No delivery for unusually long',
    measures: 'Minutes of a silence that the usual pace does not explain.',
    summary: (value) => `No delivery has come for ${minutes(value)}, which is unusual`,
    whatToDo: 'Ask the provider whether it sends, and check the way from it to this dashboard.',
  },
  'backlog-size': {
    title: 'Large backlog',
    measures: 'Deliveries that wait to be shown on pages.',
    summary: (value) => `At least ${counted(value, 'delivery waits', 'deliveries wait')} to be shown`,
    whatToDo: 'Check that the projectors run and that the database is not slow.',
  },
  'backlog-age': {
    title: 'Old backlog',
    measures: 'Seconds that the oldest delivery has waited to be shown on pages.',
    summary: (value) => `A delivery has waited for ${formatPlainDuration(value)} to be shown`,
    whatToDo: 'Check that the projectors run and that the database is not slow.',
  },
  'dead-letters': {
    title: 'Dead letters',
    measures: 'Deliveries that could not be processed.',
    summary: (value) => `${counted(value, 'delivery', 'deliveries')} could not be processed`,
    whatToDo: 'Run "npm run rampart dead-letters" to see why, then retry them.',
  },
  'no-projector': {
    title: 'No projector',
    measures: 'Seconds without a process that processes deliveries.',
    summary: (value) => `No projector has run for ${formatPlainDuration(value)}`,
    whatToDo: 'Read projector.log for the reason, and start Rampart again.',
  },
  'no-live-process': {
    title: 'No live process',
    measures: 'Seconds without the process that sends changes to open pages.',
    summary: (value, subject) =>
      `No live process has run on ${host(subject)} for ${formatPlainDuration(value)}`,
    whatToDo: 'Read server.log on this machine for the reason, and start Rampart again.',
  },
  'refused-deliveries': {
    title: 'Refused deliveries',
    measures: 'Deliveries that were refused for one reason in the last 15 minutes.',
    summary: (value, subject) =>
      `${counted(value, 'delivery was', 'deliveries were')} refused in 15 min: ${reason(subject)}`,
    whatToDo: 'Open the endpoint and follow what its page says about this reason.',
  },
  'key-refused': {
    title: 'API key rejected',
    measures: 'Minutes since the provider rejects the API key.',
    summary: (value) => `The provider has rejected the API key for ${minutes(value)}`,
    whatToDo: 'Give a valid key on the page Settings.',
  },
  'service-away': {
    title: 'Provider away',
    measures: 'Minutes since the provider does not answer.',
    summary: (value) => `The provider has not answered for ${minutes(value)}`,
    whatToDo: 'Check the way to the provider and its status page; Rampart keeps asking.',
  },
  'sign-in-attacks': {
    title: 'Attacks on the sign-in',
    measures: 'Sign-ins that were refused in the last 15 minutes.',
    summary: (value) => `${counted(value, 'sign-in was', 'sign-ins were')} refused in 15 min`,
    whatToDo: 'Find their addresses in the audit log, and block them at your proxy.',
  },
  'audit-broken': {
    title: 'Audit chain broken',
    measures: 'Faults that the last check of the audit chain found.',
    summary: (value) =>
      `The audit log was changed from outside: ${counted(value, 'fault', 'faults')} in its chain`,
    whatToDo:
      'Treat it as a security incident: read the audit log, and find who could write to the database.',
  },
  'disk-full': {
    title: 'Disk almost full',
    measures: 'Percent used of the disk with the data directory.',
    summary: (value, subject) => `The disk of ${host(subject)} is ${Math.floor(value)} percent full`,
    whatToDo: 'Free space or enlarge the disk; a full disk refuses deliveries.',
  },
  'database-full': {
    title: 'Database almost full',
    measures: 'Gigabytes of the database.',
    summary: (value) => `The database has ${decimal(value)} GB`,
    whatToDo: 'Enlarge the disk, or set ages for the log on the page Settings.',
  },
  'month-missing': {
    title: 'A month’s table is missing',
    measures: 'Days until the first month of the delivery log that has no table.',
    summary: (value, subject) =>
      subject === 'delivery_default'
        ? 'The default table has deliveries, because the table of their month is missing'
        : value > 0
          ? `The table ${name(subject)} is missing, which is needed in ${formatPlainDuration(value * 86_400)}`
          : `The table ${name(subject)} is missing, so deliveries go to the default table`,
    whatToDo: 'Read maintenance.log for the reason, and see that DATABASE_MIGRATE_URL works.',
  },
  'migration-failed': {
    title: 'Migration not done',
    measures: 'Hours since this version started, while a migration is not done.',
    summary: (value, subject) =>
      `The migration ${name(subject)} is not done after ${formatPlainDuration(value * 3_600)}`,
    whatToDo: 'Read maintenance.log for the reason, and see that DATABASE_MIGRATE_URL works.',
  },
  'unknown-type': {
    title: 'Unknown event type',
    measures: 'Events of a type that this version does not know, in the last 14 days.',
    summary: (value, subject) =>
      `${counted(value, 'event has', 'events have')} the unknown type ${typeName(subject)}`,
    whatToDo: 'Install a newer version; until then such events are kept and shown without words.',
  },
  'transaction-stuck': {
    title: 'Transaction stuck',
    measures: 'Hours that the oldest stuck transaction has been at its step.',
    summary: (value) => `A transaction has been stuck for ${formatPlainDuration(value * 3_600)}`,
    whatToDo: 'Open the overview, and ask the provider about the oldest ones.',
  },
  'transaction-held': {
    title: 'Transaction on hold',
    measures: 'Hours that the oldest transaction has been on hold.',
    summary: (value) => `A transaction has been on hold for ${formatPlainDuration(value * 3_600)}`,
    whatToDo: 'Open the overview, and see what each hold needs.',
  },
  'certificate-expiry': {
    title: 'Certificate expires',
    measures: 'Days until the certificate of the public address expires.',
    summary: (value, subject) =>
      value > 0
        ? `The certificate of ${host(subject)} expires in ${formatPlainDuration(value * 86_400)}`
        : `The certificate of ${host(subject)} has expired`,
    whatToDo: 'Renew the certificate and reload the proxy; the provider delivers nothing without one.',
  },
  'clock-difference': {
    title: 'Clock differs',
    measures: 'Seconds between the clock of this machine and that of the provider or the database.',
    summary: (value, subject) =>
      `The clock differs from that of the ${subject === 'database' ? 'database' : 'provider'} by ${formatPlainDuration(value)}`,
    whatToDo: 'Synchronise the clocks of your machines by NTP.',
  },
  'backup-old': {
    title: 'Old backup',
    measures: 'Days since the last backup that Rampart knows of.',
    summary: (value, subject) => {
      const age = formatPlainDuration(value * 86_400)
      return subject === noBackup
        ? `No backup is known, ${age} after the installation`
        : `The last known backup is ${age} old`
    },
    whatToDo: 'Make a backup, and have your script run "npm run rampart backed-up" after each one.',
  },
} as const satisfies Record<ConditionCode, AlertWords>

export const wordsOfAlert = (code: ConditionCode): AlertWords => alertWords[code]

/** A threshold is a number in one of these units. */
export const unitLabels = {
  seconds: 'seconds',
  minutes: 'minutes',
  hours: 'hours',
  days: 'days',
  percent: 'percent',
  gigabytes: 'GB',
  deliveries: 'deliveries',
  events: 'events',
  'sign-ins': 'sign-ins',
  faults: 'faults',
} as const satisfies Record<AlertUnit, string>

const oneOfUnit = {
  ...unitLabels,
  seconds: 'second',
  minutes: 'minute',
  hours: 'hour',
  days: 'day',
  deliveries: 'delivery',
  events: 'event',
  'sign-ins': 'sign-in',
  faults: 'fault',
} as const satisfies Record<AlertUnit, string>

/** The text is like "1 fault" or "12.35 minutes". */
export function valueWithUnit(value: number, unit: AlertUnit): string {
  const shown = plainNumber(value)
  return `${shown} ${shown === '1' ? oneOfUnit[unit] : unitLabels[unit]}`
}

export const urgencyLabels = { urgent: 'Urgent', warning: 'Warning' } as const satisfies Record<
  Urgency,
  string
>

/** A message about an alert begins with one of these words. */
export const alertChangeLabels = {
  fired: 'Firing',
  repeated: 'Still firing',
  resolved: 'Resolved',
  unwatched: 'No longer watched',
} as const

export type AlertChange = keyof typeof alertChangeLabels

/** `unwatched`: the rule was switched off or has another threshold, so nobody knows that the cause is gone. */
export type AlertEnd = 'resolved' | 'unwatched'

/** The subject of an alert in words; empty where the condition has one subject. */
export function alertSubjectLabel(code: ConditionCode, subject: string): string {
  switch (conditionOf(code).subject) {
    case 'none':
      return ''
    case 'endpoint':
    case 'gap':
      return short(subject)
    case 'reason':
      return reason(subject)
    case 'host':
      return host(subject)
    case 'type':
      return typeName(subject)
    case 'table':
    case 'migration':
    case 'clock':
      return name(subject)
  }
}

/** Programs get ids as they are, and any other subject as people do. */
export const plainSubject = (code: ConditionCode, subject: string): string =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(subject) ? subject : alertSubjectLabel(code, subject)

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

const minutes = (value: number) => formatPlainDuration(value * 60)

const decimal = (value: number) => String(Math.round(value * 10) / 10)

/** A measured value or a threshold, with at most two decimals. */
export const plainNumber = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 })

/** Ids are shown by their first part, since the address of the page has all of them. */
const short = (id: string) => id.slice(0, 8)

/** The service may write anything as a type, also something about a person. */
const typeName = (subject: string) =>
  /^[A-Za-z][A-Za-z-]{0,60}$/.test(subject) ? subject : 'of another form'

const name = (subject: string) => (/^[\w.-]{1,80}$/.test(subject) ? subject : 'of another form')

const host = (subject: string) => (/^[\w.:-]{1,120}$/.test(subject) ? subject : 'a machine')

const reason = (subject: string) => {
  const known = parseRefusalReason(subject)
  return known ? reasonLabels[known] : 'another reason'
}

const reasonLabels = {
  'wrong-secret': 'they carried another secret',
  'no-authorization': 'they carried no Authorization',
  'other-scheme': 'they carried another Authorization than API-Key',
  'too-large': 'they were too large',
  encoded: 'they were compressed in an unknown way',
  'unknown-receiver': 'no endpoint has their address',
  'secret-not-known-yet': 'the secret was not known yet',
  'secret-not-checkable': 'the key that checks the secret was missing',
  'queue-full': 'the queue was full',
  'too-late': 'the database was too slow',
  'no-memory': 'the memory was full',
  database: 'the database did not take them',
  'too-slow': 'they came too slowly',
  'broken-off': 'they broke off',
  'wrong-method': 'they were no POST',
} as const satisfies Record<RefusalReason, string>
