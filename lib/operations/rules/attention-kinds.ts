import { eventRules } from '#lib/access/rules/events.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'

/** Attention items have these kinds, in the order of the overview. */
export const attentionKinds = [
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
export type AttentionKind = (typeof attentionKinds)[number]

export const isAttentionKind = (text: unknown): text is AttentionKind =>
  attentionKinds.some((kind) => kind === text)

/** Items of these kinds last until something else happens. All other kinds have happened and are over. */
const waitingKinds = ['held', 'stuck', 'gap', 'endpoint'] as const satisfies readonly AttentionKind[]
type WaitingKind = (typeof waitingKinds)[number]

export const isWaiting = (kind: AttentionKind): kind is WaitingKind =>
  waitingKinds.some((one) => one === kind)

/** ASSUMED: an event needs no attention after so many days. A waiting item needs it until it ends. */
export const happenedDays = 14

/** A transaction can be an item of these kinds. */
export const transactionKinds = [
  'held',
  'stuck',
  'failed',
  'limit-breached',
  'conflict',
] as const satisfies readonly AttentionKind[]
export type TransactionAttentionKind = (typeof transactionKinds)[number]

/** An event can be an item of these kinds. */
export const eventKinds = [
  'name-mismatch',
  'duplicate-user',
  'aml',
  'failed-kyc',
  'failed-account',
  'failed-company',
  'bounced-code',
] as const satisfies readonly AttentionKind[]
export type EventAttentionKind = (typeof eventKinds)[number]

const prefix = 'endpoint:'

/** Items and snoozes name an endpoint without an open gap in this form. A gap is named by its id alone. */
export const endpointAbout = (endpointUuid: string): string => prefix + endpointUuid

/** The result is the uuid of an endpoint named in this form; null for anything else. */
export const endpointOfAbout = (about: string): string | null =>
  about.startsWith(prefix) ? about.slice(prefix.length) : null

/**
 * `mayKnowAttention` says which roles may see items of a kind. The list alone would reveal that a check for money laundering
 * failed, and the state of deliveries is not for all roles.
 */
export function mayKnowAttention(role: Role, kind: AttentionKind): boolean {
  if (kind === 'aml') return visibilityOf(role, eventRules('AML').says) !== 'hidden'
  return (kind !== 'gap' && kind !== 'endpoint') || visibilityOf(role, 'endpoint') !== 'hidden'
}

/**
 * `mayKnowSnooze` says which roles may see in the audit what was snoozed. Entries about events show all kinds or none: a
 * single hidden kind would reveal that a check for money laundering failed.
 */
export function mayKnowSnooze(role: Role, kind: unknown): boolean {
  if (!isAttentionKind(kind)) return attentionKinds.every((one) => mayKnowAttention(role, one))
  const alike: readonly AttentionKind[] = eventKinds.some((one) => one === kind) ? eventKinds : [kind]
  return alike.every((one) => mayKnowAttention(role, one))
}
