/** What may need a look, in the order in which the overview offers them. */
export const lookKinds = [
  'held',
  'stuck',
  'gap',
  'endpoint',
  'failed',
  'limit-breached',
  'conflict',
  'name-mismatch',
  'duplicate-user',
  'aml',
  'failed-kyc',
  'failed-account',
  'failed-company',
  'bounced-code',
] as const
export type LookKind = (typeof lookKinds)[number]

export const isLookKind = (text: unknown): text is LookKind => lookKinds.some((kind) => kind === text)

/** Those that last until something else happens, however long ago they began. All others have happened, and are over. */
const waitingKinds = ['held', 'stuck', 'gap', 'endpoint'] as const satisfies readonly LookKind[]
type WaitingKind = (typeof waitingKinds)[number]

export const isWaiting = (kind: LookKind): kind is WaitingKind => waitingKinds.some((one) => one === kind)

/** ASSUMED: what happened needs no look after so many days; what waits needs one until it ends. */
export const happenedDays = 14

/** Kinds of which a transaction is one. */
export const transactionKinds = [
  'held',
  'stuck',
  'failed',
  'limit-breached',
  'conflict',
] as const satisfies readonly LookKind[]
export type TransactionLookKind = (typeof transactionKinds)[number]

/** Kinds of which an event is one. */
export const eventKinds = [
  'name-mismatch',
  'duplicate-user',
  'aml',
  'failed-kyc',
  'failed-account',
  'failed-company',
  'bounced-code',
] as const satisfies readonly LookKind[]
export type EventLookKind = (typeof eventKinds)[number]

const prefix = 'endpoint:'

/** What a look or a mute names an endpoint by that has no open gap, beside gaps, which are named by their id alone. */
export const endpointAbout = (endpointUuid: string): string => prefix + endpointUuid

/** The uuid of the endpoint that is named so; null for anything else. */
export const endpointOfAbout = (about: string): string | null =>
  about.startsWith(prefix) ? about.slice(prefix.length) : null
