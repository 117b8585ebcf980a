import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { type GapRow, SELECT_GAP, toGapViews } from '#lib/endpoints/gaps/gap-row.ts'
import { emailsOf } from '#lib/identity/users/find-users.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { eventColumns, type ListedEventRow, toEventView } from '#lib/timeline/event-view.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { toTransactionViews } from '#lib/transactions/transaction-view.ts'
import { endpointOfAbout } from '../rules/endpoint-about.ts'
import {
  type EventLookKind,
  eventKinds,
  type LookKind,
  type TransactionLookKind,
  transactionKinds,
} from '../rules/look-kinds.ts'
import type { ListedLook } from './list-looks.ts'
import type { EventLook, GapLook, TransactionLook } from './look-view.ts'
import { readEventsBefore } from './read-events-before.ts'

interface Found extends ListedLook {
  readonly kind: LookKind
}

/** Those that are transactions, as this role may see them. */
export async function toTransactionLooks(role: Role, found: readonly Found[]): Promise<TransactionLook[]> {
  const mine = found.filter((one): one is Found & { kind: TransactionLookKind } =>
    isOneOf(transactionKinds, one.kind),
  )
  if (mine.length === 0) return []
  const { rows } = await pool().query<TransactionRow>(
    'SELECT * FROM transaction WHERE subject_id = ANY($1)',
    [mine.map(({ about }) => about)],
  )
  const [views, before] = await Promise.all([
    toTransactionViews(role, rows),
    readEventsBefore(
      role,
      rows.filter(({ step }) => step === 'ON_HOLD'),
    ),
  ])
  const bySubject = new Map(views.map((view) => [view.subjectId, view]))
  return mine.flatMap(({ kind, about, since }) => {
    const transaction = bySubject.get(about)
    if (!transaction) return []
    return [{ kind, about, since: since.toISOString(), transaction, before: before.get(about) ?? [] }]
  })
}

/** Those that are events, as this role may see them. */
export async function toEventLooks(role: Role, found: readonly Found[]): Promise<EventLook[]> {
  const mine = found.filter((one): one is Found & { kind: EventLookKind } => isOneOf(eventKinds, one.kind))
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

/** Those that are gaps. */
export async function toGapLooks(found: readonly Found[]): Promise<GapLook[]> {
  const mine = found.filter(
    (one): one is Found & { kind: GapLook['kind'] } =>
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

const isOneOf = (kinds: readonly LookKind[], kind: LookKind) => kinds.includes(kind)
