import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { pageOf, pageSize } from '#lib/platform/paging/paging.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'
import type { GapKind } from '../rules/gaps.ts'
import { type GapRow, type GapView, SELECT_GAP, toGapViews, toLoneGap } from './gap-view.ts'
import {
  type NamedTransaction,
  nameOpenTransactions,
  type OpenIn,
  type OpenTransaction,
  readOpenTransactions,
} from './read-open-transactions.ts'

interface GapFilters {
  /** `open`: no admin has closed it, whether it lasts or not. */
  readonly state?: 'open' | 'closed' | undefined
  readonly kind?: GapKind | undefined
  /** Those of this endpoint, and of all that deliver here. */
  readonly endpointUuid?: string | undefined
  /** Those that have not ended. */
  readonly lasting?: boolean | undefined
  /** Those that touch this time; `until` null for ever since. ISO 8601. */
  readonly during?: { readonly from: string; readonly until: string | null } | undefined
  /** The id of the last gap of the page before. */
  readonly before?: string | undefined
  /** 1 to 200, 50 by default. */
  readonly limit?: number | undefined
}

export interface GapPage {
  readonly rows: readonly GapView[]
  /** For `before`: the next page; null on the last one. */
  readonly next: string | null
}

/** Gaps, the latest first. Throws `NotAllowed`. */
export async function listGaps(caller: Caller, filters: GapFilters = {}): Promise<GapPage> {
  requirePermission(caller, 'see-endpoint-health')
  const { listed, next } = await listGapRows(filters)
  return { rows: await toGapViews(listed), next }
}

/** The same before anything is looked up for them. It checks nobody. */
export async function listGapRows(filters: GapFilters) {
  const limit = pageSize(filters.limit)
  const { rows } = await pool().query<GapRow>(LIST, [
    filters.state ?? null,
    filters.kind ?? null,
    filters.endpointUuid ?? null,
    filters.lasting ?? false,
    filters.during?.from ?? null,
    filters.during?.until ?? null,
    filters.before ?? null,
    limit + 1,
  ])
  return pageOf(rows, limit, ({ id }) => id)
}

const LIST = `${SELECT_GAP}
  WHERE ($1::text IS NULL OR ($1 = 'closed') = (outcome IS NOT NULL))
    AND ($2::text IS NULL OR kind = $2)
    AND ($3::uuid IS NULL OR about = '' OR endpoint_uuid = $3)
    AND (NOT $4::boolean OR ended_at IS NULL)
    AND ($5::timestamptz IS NULL OR ended_at IS NULL OR ended_at >= $5)
    AND ($6::timestamptz IS NULL OR began_at <= $6)
    AND ($7::uuid IS NULL OR (began_at, gap.id) < (SELECT began_at, id FROM gap WHERE id = $7))
  ORDER BY began_at DESC, gap.id DESC LIMIT $8`

/** A gap with the transactions that were open in it. */
export interface GapDetailsView extends GapView, OpenIn<OpenTransaction> {}

/** The same with no more of each than it takes to ask the provider about it. */
export interface AskableGap extends GapView, OpenIn<NamedTransaction> {}

/** A gap with the transactions that were open in it; null when there is none. Throws `NotAllowed`. */
export async function getGap(caller: Caller, id: string): Promise<GapDetailsView | null> {
  const gap = await findGap(caller, id)
  return gap && { ...gap, ...(await readOpenTransactions(caller.role, gap)) }
}

/** A gap alone; null when there is none. Throws `NotAllowed`. */
export async function findGap(caller: Caller, id: string): Promise<GapView | null> {
  requirePermission(caller, 'see-endpoint-health')
  if (!isUuid(id)) return null
  const { rows } = await pool().query<GapRow>({ ...ONE, values: [id] })
  const [gap] = await toGapViews(rows)
  return gap ?? null
}

const ONE = planOnce(`${SELECT_GAP} WHERE gap.id = $1`)

/** Gaps that its page lists. */
const shown = 10

/** What may be missing because of an endpoint: its gaps and those of all that deliver here. */
export interface GapsOfEndpoint {
  /** The latest first, at most 10. */
  readonly gaps: readonly GapView[]
  /** The one that lasts, with its open transactions; a closed one only where the endpoint is off and no other lasts. */
  readonly lasting: AskableGap | null
}

/** What other endpoints brought and what was open are read at the same time. Throws `NotAllowed`. */
export async function readGapsOfEndpoint(caller: Caller, endpointUuid: string): Promise<GapsOfEndpoint> {
  requirePermission(caller, 'see-endpoint-health')
  const { listed } = await listGapRows({ endpointUuid, limit: shown })
  const lasting = findLasting(listed.map(toLoneGap))
  const [gaps, open] = await Promise.all([
    toGapViews(listed),
    lasting ? nameOpenTransactions(caller.role, lasting) : null,
  ])
  const gap = gaps.find(({ id }) => id === lasting?.id)
  return { gaps, lasting: gap && open ? { ...gap, ...open } : null }
}

function findLasting(gaps: readonly ReturnType<typeof toLoneGap>[]) {
  const itsOwn = gaps.filter(({ endpoint, endedAt }) => endpoint && !endedAt)
  return (
    itsOwn.find(({ closed }) => !closed) ??
    itsOwn.find(({ kind }) => kind === 'disabled' || kind === 'auto-disabled')
  )
}
