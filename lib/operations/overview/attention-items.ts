import 'server-only'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import { type GapRow, type GapView, SELECT_GAP, toGapViews } from '#lib/endpoints/gaps/gap-view.ts'
import { emailsOf } from '#lib/identity/users/directory.ts'
import { notSnoozedAs } from '#lib/people/standings/standing-attention.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { exactUpTo, type Total } from '#lib/platform/paging/paging.ts'
import { type EventView, eventColumns, type ListedEventRow, toEventView } from '#lib/timeline/event-view.ts'
import { standsSince, type TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { readTurns, type TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import { parameters, unionAll } from '#lib/transactions/row-condition.ts'
import { type TransactionView, toTransactionViews } from '#lib/transactions/transaction-view.ts'
import {
  type AttentionKind,
  type EventAttentionKind,
  endpointOfAbout,
  eventKinds,
  type TransactionAttentionKind,
  transactionKinds,
} from '../rules/attention-kinds.ts'

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
  readonly transaction: TransactionView & Pick<TransactionDetailsView, 'turn'>
  /** For a transaction on hold, these earlier events of its person are shown, the latest first. */
  readonly before: readonly EventView[]
}

interface EventAttention extends AttentionBase {
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

interface Found extends ListedAttention {
  readonly kind: AttentionKind
}

/** The result has the transactions among the found items, as this role may see them. */
export async function toTransactionAttentionItems(
  role: StaffRole,
  found: readonly Found[],
): Promise<TransactionAttention[]> {
  const mine = found.filter((one): one is Found & { kind: TransactionAttentionKind } =>
    isOneOf(transactionKinds, one.kind),
  )
  if (mine.length === 0) return []
  const { rows } = await pool().query<TransactionRow>(
    'SELECT * FROM transaction WHERE subject_id = ANY($1)',
    [mine.map(({ about }) => about)],
  )
  const views = await toTransactionViews(role, rows)
  const before = await readEventsBefore(
    role,
    rows.filter(({ step }) => step === 'ON_HOLD'),
  )
  const turns = await readTurns(rows)
  const bySubject = new Map(
    views.map((view) => [view.subjectId, { ...view, turn: turns.get(view.subjectId) ?? null }]),
  )
  return mine.flatMap(({ kind, about, since }) => {
    const transaction = bySubject.get(about)
    if (!transaction) return []
    return [{ kind, about, since: since.toISOString(), transaction, before: before.get(about) ?? [] }]
  })
}

/** The result has the events among the found items, as this role may see them. */
export async function toEventAttentionItems(
  role: StaffRole,
  found: readonly Found[],
): Promise<EventAttention[]> {
  const mine = found.filter((one): one is Found & { kind: EventAttentionKind } =>
    isOneOf(eventKinds, one.kind),
  )
  if (mine.length === 0) return []
  const { rows } = await pool().query<ListedEventRow>(
    `SELECT ${eventColumns} FROM event WHERE id = ANY($1::uuid[])`,
    [mine.map(({ about }) => about)],
  )
  const emails = await emailsOf(rows.map((row) => row.entity_uuid))
  const byId = new Map(rows.map((row) => [row.id, toEventView(role, row, emails)]))
  return mine.flatMap(({ kind, about, since }) => {
    const event = byId.get(about)
    return event ? [{ kind, about, since: since.toISOString(), event }] : []
  })
}

/** The result has the gaps among the found items. */
export async function toGapAttentionItems(found: readonly Found[]): Promise<GapAttention[]> {
  const mine = found.filter(
    (one): one is Found & { kind: GapAttention['kind'] } =>
      isOneOf(['gap', 'endpoint'], one.kind) && endpointOfAbout(one.about) === null,
  )
  if (mine.length === 0) return []
  const { rows } = await pool().query<GapRow>({ ...GAPS, values: [mine.map(({ about }) => about)] })
  const byId = new Map((await toGapViews(rows)).map((gap) => [gap.id, gap]))
  return mine.flatMap(({ kind, about, since }) => {
    const gap = byId.get(about)
    return gap ? [{ kind, about, since: since.toISOString(), gap }] : []
  })
}

const GAPS = planOnce(`${SELECT_GAP} WHERE gap.id = ANY($1::uuid[])`)

const isOneOf = (kinds: readonly AttentionKind[], kind: AttentionKind) => kinds.includes(kind)

/** An event of these types may be the reason for a later hold. */
const telling: readonly EventType[] = [
  'KYC',
  'KYB',
  'AML',
  'entityStatusUpdate',
  'duplicateUser',
  'senderNameMismatch',
]

/** The query searches this many of a person's events before the hold, and shows at most `shownOfEach`. */
const searched = 200
const shownOfEach = 2

/**
 * The events of a transaction's person before the hold are listed, the latest first: one of them may be the reason,
 * which no event gives. The map is by `subject_id`.
 */
async function readEventsBefore(
  role: StaffRole,
  held: readonly TransactionRow[],
): Promise<ReadonlyMap<string, readonly EventView[]>> {
  if (held.length === 0) return new Map()
  const values: unknown[] = [telling]
  const given = parameters(values)
  const reported = held.map((row) =>
    contradictedBefore(given(row.subject_id), given(row.user_uuid), given(standsSince(row))),
  )
  const { rows } = await pool().query<ListedEventRow & { about: string }>(
    `SELECT * FROM (${unionAll(reported)}) AS event ORDER BY about, id DESC`,
    values,
  )
  return new Map(
    [...Map.groupBy(rows, ({ about }) => about)].map(([about, events]) => [
      about,
      events.map((row) => toEventView(role, row, new Map())),
    ]),
  )
}

const contradictedBefore = (about: string, person: string, beganAt: string) => `(
  SELECT ${about}::text AS about, * FROM (
    SELECT ${eventColumns} FROM event WHERE entity_uuid = ${person}::text ORDER BY id DESC LIMIT ${searched}
  ) AS latest
  WHERE type = ANY($1) AND first_received_at <= ${beganAt}::timestamptz ORDER BY id DESC LIMIT ${shownOfEach})`
