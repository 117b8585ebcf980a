import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { decodePlace, encodePlace, pageOf, pageSize } from '#lib/platform/paging/paging.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { fileText } from '#lib/platform/rules/csv.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'
import { transactionColumns } from '#lib/transactions/transaction-view.ts'
import type { GapKind } from '../rules/gaps.ts'
import { type GapRow, type GapView, SELECT_GAP, toGapViews, toSingleGap } from './gap-view.ts'
import {
  everyOpenTransaction,
  type NamedTransaction,
  nameOpenTransactions,
  type OpenIn,
  type OpenTransaction,
  readOpenTransactions,
} from './read-open-transactions.ts'

interface GapFilters {
  /** `open`: no admin has closed the gap, whether it lasts or not. */
  readonly state?: 'open' | 'closed' | undefined
  readonly kind?: GapKind | undefined
  /** The list has gaps of this endpoint and gaps of every endpoint here. */
  readonly endpointUuid?: string | undefined
  /** The list has gaps that have not ended. */
  readonly lasting?: boolean | undefined
  /** The list has gaps that touch this time; `until` is null when the time has no end. Times are ISO 8601. */
  readonly during?: { readonly from: string; readonly until: string | null } | undefined
  /** `before` is the cursor of the last gap on the page before. */
  readonly before?: string | undefined
  /** A page has 1 to 200 gaps, 50 by default. */
  readonly limit?: number | undefined
}

export interface GapPage {
  readonly rows: readonly GapView[]
  /** `next` is the value of `before` for the next page; null on the last page. */
  readonly next: string | null
}

/** Gaps come newest first. Throws `NotAllowed` and `CursorRefused`. */
export async function listGaps(caller: Caller, filters: GapFilters = {}): Promise<GapPage> {
  requirePermission(caller, 'see-endpoint-health')
  const { listed, next } = await listGapRows(filters)
  return { rows: await toGapViews(listed), next }
}

/** The rows have nothing else looked up for them. This checks no permission. */
export async function listGapRows(filters: GapFilters) {
  const limit = pageSize(filters.limit)
  const { rows } = await pool().query<GapRow>(LIST, [
    filters.state ?? null,
    filters.kind ?? null,
    filters.endpointUuid ?? null,
    filters.lasting ?? false,
    filters.during?.from ?? null,
    filters.during?.until ?? null,
    ...decodePlace(filters.before),
    limit + 1,
  ])
  return pageOf(rows, limit, ({ began_at, id }) => encodePlace(began_at, id))
}

const LIST = `${SELECT_GAP}
  WHERE ($1::text IS NULL OR ($1 = 'closed') = (outcome IS NOT NULL))
    AND ($2::text IS NULL OR kind = $2)
    AND ($3::uuid IS NULL OR about = '' OR endpoint_uuid = $3)
    AND (NOT $4::boolean OR ended_at IS NULL)
    AND ($5::timestamptz IS NULL OR ended_at IS NULL OR ended_at >= $5)
    AND ($6::timestamptz IS NULL OR began_at <= $6)
    AND ($7::timestamptz IS NULL OR (began_at, gap.id) < ($7, $8::uuid))
  ORDER BY began_at DESC, gap.id DESC LIMIT $9`

/** The details include the transactions that were open in the gap. */
export interface GapDetailsView extends GapView, OpenIn<OpenTransaction> {}

/** The provider can be asked about this gap: each transaction has only the fields that this takes. */
export interface AskableGap extends GapView, OpenIn<NamedTransaction> {}

/** The gap comes with the transactions that were open in it; null when there is none. Throws `NotAllowed`. */
export async function getGap(caller: Caller, id: string): Promise<GapDetailsView | null> {
  requirePermission(caller, 'see-endpoint-health')
  const gap = await findGap(caller, id)
  return gap && { ...gap, ...(await readOpenTransactions(caller.role, gap)) }
}

/** The gap comes without transactions; null when there is none. Throws `NotAllowed`. */
async function findGap(caller: Caller, id: string): Promise<GapView | null> {
  requirePermission(caller, 'see-endpoint-health')
  if (!isUuid(id)) return null
  const { rows } = await pool().query<GapRow>({ ...ONE, values: [id] })
  const [gap] = await toGapViews(rows)
  return gap ?? null
}

const ONE = planOnce(`${SELECT_GAP} WHERE gap.id = $1`)

/** The page of an endpoint lists this many gaps. */
const shown = 10

/** Deliveries may be missing in the gaps of an endpoint, and in those of every endpoint here. */
export interface GapsOfEndpoint {
  /** Gaps come newest first, at most 10. */
  readonly gaps: readonly GapView[]
  /**
   * This gap lasts; its open transactions come with it. A closed gap counts only when the endpoint is off and no
   * other gap lasts.
   */
  readonly lasting: AskableGap | null
}

/** The other endpoints and the open transactions are read at the same time. Throws `NotAllowed`. */
export async function readGapsOfEndpoint(caller: Caller, endpointUuid: string): Promise<GapsOfEndpoint> {
  requirePermission(caller, 'see-endpoint-health')
  const { listed } = await listGapRows({ endpointUuid, limit: shown })
  const lasting = findLasting(listed.map(toSingleGap))
  const [gaps, open] = await Promise.all([
    toGapViews(listed),
    lasting ? nameOpenTransactions(caller.role, lasting) : null,
  ])
  const gap = gaps.find(({ id }) => id === lasting?.id)
  return { gaps, lasting: gap && open ? { ...gap, ...open } : null }
}

function findLasting(gaps: readonly ReturnType<typeof toSingleGap>[]) {
  const itsOwn = gaps.filter(({ endpoint, endedAt }) => endpoint && !endedAt)
  return (
    itsOwn.find(({ closed }) => !closed) ??
    itsOwn.find(({ kind }) => kind === 'disabled' || kind === 'auto-disabled')
  )
}

export const ExportGapSchema = z.object({
  gapId: uuidField('This is not the id of a gap.'),
  reason: ReasonSchema,
})

/**
 * The session may fetch the transactions that were open in a gap, with their owners and amounts, for one minute.
 * Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function allowGapExport(
  caller: Caller,
  { gapId, reason }: z.output<typeof ExportGapSchema>,
  source: CallSource,
): Promise<{ readonly ticket: string }> {
  requirePermission(caller, 'work-on-cases')
  requireFreshSignIn(caller)
  if (!(await findGap(caller, gapId))) throw new Refused('gap-unknown')
  const entry = { action: 'gap.export', target: gapId } as const
  const what = 'transactions affected by missed deliveries'
  return { ticket: await giveTicket(caller, { file: fileOf(gapId), what, entry, reason }, source) }
}

/**
 * The CSV has the transactions that were open in a gap, in portions. The session must have been allowed to fetch
 * them; null when there is no such gap. Throws `NotAllowed`.
 */
export async function exportGap(
  caller: Caller,
  id: string,
  ticket: string,
): Promise<AsyncGenerator<string> | null> {
  requirePermission(caller, 'work-on-cases')
  requireTicket(caller, fileOf(id), ticket)
  const gap = await findGap(caller, id)
  return gap && fileText('csv', everyOpenTransaction(caller.role, gap), transactionColumns)
}

const fileOf = (gapId: string) => `gap ${gapId}`
