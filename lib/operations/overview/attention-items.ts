import 'server-only'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { notSnoozedAs } from '#lib/people/standings/standing-attention.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { exactUpTo, type Total } from '#lib/platform/paging/paging.ts'
import type { EventView } from '#lib/timeline/event-view.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import type { AttentionKind, EventAttentionKind, TransactionAttentionKind } from '../rules/attention-kinds.ts'

/** An attention item is one thing that may need attention. */
export type AttentionItem = TransactionAttention | EventAttention | GapAttention | EndpointAttention

interface AttentionBase {
  /** A snooze refers to the item by this id. */
  readonly about: string
  /** The item has waited since this time, or happened at it. It is a time of receipt in ISO 8601. */
  readonly since: string
}

export interface TransactionAttention extends AttentionBase {
  readonly kind: TransactionAttentionKind
  readonly transaction: TransactionView
  /** For a transaction on hold, these earlier events of its person are shown, the latest first. */
  readonly before: readonly EventView[]
}

export interface EventAttention extends AttentionBase {
  readonly kind: EventAttentionKind
  readonly event: EventView
}

export interface GapAttention extends AttentionBase {
  /** The kind is `endpoint` when the gap lasts because the endpoint is not active. */
  readonly kind: 'gap' | 'endpoint'
  readonly gap: GapView
}

/** The endpoint is off and has no open gap. */
export interface EndpointAttention extends AttentionBase {
  readonly kind: 'endpoint'
  /** `name` is null when no version that stores names has seen the endpoint. */
  readonly endpoint: { readonly uuid: string; readonly name: string | null; readonly status: string }
}

/** The endpoint is not active, with or without a gap that lasts because of it. */
export type EndpointOffAttention = (GapAttention | EndpointAttention) & {
  /** The time is null until the endpoint was seen as off. */
  readonly offSince: EndpointView['statusSince']
}

/** The total counts the items of a kind, of which the oldest are listed. */
export interface AttentionItemsOfKind {
  readonly kind: AttentionKind
  readonly total: Total
  readonly oldest: readonly AttentionItem[]
}

/** A snoozed item is described by these values. */
export interface SnoozeView {
  readonly kind: AttentionKind
  readonly about: string
  /** The note is null for roles that may not read free text. */
  readonly note: string | null
  readonly by: string
  /** The time is ISO 8601. */
  readonly at: string
  /** The subject leads to the item's page; null when it was removed. */
  readonly subjectId: string | null
}

/**
 * Items of one kind are listed with the times that order them, from the oldest on. The list has at most one more than
 * the count's limit.
 */
export interface ListedAttention {
  readonly about: string
  readonly since: Date
}

/**
 * `listAttentionItems` runs a query of `about` and `since`, from the oldest on, without snoozed items.
 * @param sql has its own `LIMIT ${most}`; its best plan does not depend on the values
 */
export async function listAttentionItems(
  sql: string,
  values: readonly unknown[] = [],
): Promise<ListedAttention[]> {
  const { rows } = await pool().query<ListedAttention>({ ...planOnce(sql), values: [...values] })
  return rows
}

/** The count is the length of the list of `listAttentionItems`. */
export async function countAttentionItems(sql: string, values: readonly unknown[] = []): Promise<number> {
  const { rows } = await pool().query<{ listed: number }>({
    ...planOnce(`SELECT count(*)::int AS listed FROM (${sql}) AS items`),
    values: [...values],
  })
  return rows[0]?.listed ?? 0
}

/** The limit is one more than the largest exact count. */
export const most = exactUpTo + 1

/**
 * The condition leaves out snoozed items: a snooze covers only what had happened before it. The kind is a constant,
 * because the planner knows the number of snoozes of each kind.
 */
export const notSnoozed = (about: string, since: string, kind: AttentionKind) =>
  notSnoozedAs(about, since, `'${kind}'`)
