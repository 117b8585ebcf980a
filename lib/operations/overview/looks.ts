import 'server-only'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { notMutedAs } from '#lib/people/standings/standing-looks.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { exactUpTo, type Total } from '#lib/platform/paging/paging.ts'
import type { EventView } from '#lib/timeline/event-view.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import type { EventLookKind, LookKind, TransactionLookKind } from '../rules/look-kinds.ts'

/** One thing that may need a look. */
export type LookView = TransactionLook | EventLook | GapLook | EndpointLook

interface Look {
  /** What a mute names it by. */
  readonly about: string
  /** Since when it waits, or when it happened; ISO 8601, a time of receipt. */
  readonly since: string
}

export interface TransactionLook extends Look {
  readonly kind: TransactionLookKind
  readonly transaction: TransactionView
  /** Of a held one: what was said of its person shortly before, the latest first. */
  readonly before: readonly EventView[]
}

export interface EventLook extends Look {
  readonly kind: EventLookKind
  readonly event: EventView
}

export interface GapLook extends Look {
  /** `endpoint`: it lasts because the endpoint is not active. */
  readonly kind: 'gap' | 'endpoint'
  readonly gap: GapView
}

/** An endpoint that is off and has no open gap. */
export interface EndpointLook extends Look {
  readonly kind: 'endpoint'
  /** `name` is null when no version that keeps it has seen the endpoint. */
  readonly endpoint: { readonly uuid: string; readonly name: string | null; readonly status: string }
}

/** An endpoint that is not active: of a gap that lasts because of that, or of none. */
export type EndpointOffLook = (GapLook | EndpointLook) & {
  /** Null while nobody has seen it off. */
  readonly offSince: EndpointView['statusSince']
}

/** How many there are of a kind, and the oldest of them. */
export interface LooksOfKind {
  readonly kind: LookKind
  readonly total: Total
  readonly oldest: readonly LookView[]
}

/** Something that somebody muted. */
export interface MuteView {
  readonly kind: LookKind
  readonly about: string
  /** Null for roles that read no free text. */
  readonly note: string | null
  readonly by: string
  /** ISO 8601 */
  readonly at: string
  /** Where its page is found; null when it has gone. */
  readonly subjectId: string | null
}

/** Things of one kind, the oldest first: at most one more than is counted, each with the time that it is listed by. */
export interface ListedLook {
  readonly about: string
  readonly since: Date
}

/**
 * Reads what is listed by a query of `about` and `since`, the oldest first, without what was muted since.
 * @param sql with `LIMIT ${most}` of its own; its best plan does not depend on the values
 */
export async function listLooks(sql: string, values: readonly unknown[] = []): Promise<ListedLook[]> {
  const { rows } = await pool().query<ListedLook>({ ...planOnce(sql), values: [...values] })
  return rows
}

/** How many `listLooks` would list. */
export async function countLooks(sql: string, values: readonly unknown[] = []): Promise<number> {
  const { rows } = await pool().query<{ listed: number }>({
    ...planOnce(`SELECT count(*)::int AS listed FROM (${sql}) AS looks`),
    values: [...values],
  })
  return rows[0]?.listed ?? 0
}

/** One more than is counted. */
export const most = exactUpTo + 1

/**
 * Whether something has not been muted: a mute covers no more than what had happened until then. The kind is a constant, since
 * how many mutes there are is known of each.
 */
export const notMuted = (about: string, since: string, kind: LookKind) =>
  notMutedAs(about, since, `'${kind}'`)
