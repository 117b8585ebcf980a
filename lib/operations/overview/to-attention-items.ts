import 'server-only'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { type GapRow, SELECT_GAP, toGapViews } from '#lib/endpoints/gaps/gap-view.ts'
import { emailsOf } from '#lib/identity/users/find-users.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type EventView, eventColumns, type ListedEventRow, toEventView } from '#lib/timeline/event-view.ts'
import { standsSince, type TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { unionAll } from '#lib/transactions/index-conditions.ts'
import { parameters } from '#lib/transactions/row-condition.ts'
import { toTransactionViews } from '#lib/transactions/transaction-view.ts'
import {
  type AttentionKind,
  type EventAttentionKind,
  endpointOfAbout,
  eventKinds,
  type TransactionAttentionKind,
  transactionKinds,
} from '../rules/attention-kinds.ts'
import type {
  EventAttention,
  GapAttention,
  ListedAttention,
  TransactionAttention,
} from './attention-items.ts'

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
  const bySubject = new Map(views.map((view) => [view.subjectId, view]))
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
