import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { readStatesSince } from '#lib/endpoints/endpoint-states.ts'
import { limitConcurrency } from '#lib/platform/db/concurrency.ts'
import { poolSizes } from '#lib/platform/db/pool-sizes.ts'
import { upTo } from '#lib/platform/paging/paging.ts'
import { type AttentionKind, attentionKinds, isWaiting, mayKnowAttention } from '../rules/attention-kinds.ts'
import {
  type AttentionItem,
  type AttentionItemsOfKind,
  type EndpointAttention,
  type EndpointOffAttention,
  type GapAttention,
  type ListedAttention,
  toEventAttentionItems,
  toGapAttentionItems,
  toTransactionAttentionItems,
} from './attention-items.ts'
import {
  countUnknownTypes,
  listEventAttentionItems,
  listTransactionAttentionItems,
  type UnknownType,
} from './list-attention.ts'
import {
  listEndpointAttentionItems,
  listGapAttentionItems,
  toEndpointAttentionItems,
} from './list-endpoint-attention.ts'

/** Attention items are shown as the caller's role may see them. */
export interface AttentionItems {
  /** The kinds with at least one item are in the order of `attentionKinds`. */
  readonly kinds: readonly Omit<AttentionItemsOfKind, 'oldest'>[]
  /** Waiting items are listed by how long they wait, the longest first, limited to the requested kind. */
  readonly waiting: readonly AttentionItem[]
  /** Recent items are listed from the oldest on. */
  readonly happened: readonly AttentionItem[]
  /** Endpoints that are not active are always listed, those inactive for longest first. */
  readonly off: readonly EndpointOffAttention[]
  /** Events of the last days have these types, which were unknown when this version was made. */
  readonly unknownTypes: readonly UnknownType[]
}

/** Each of the two lists has at most `shown` rows, or `shownOfOneKind` rows of one requested kind. */
const shown = 12
const shownOfOneKind = 100

/**
 * `readAttentionItems` reads the attention items. It throws `NotAllowed`.
 * @param only the one kind to list; null for all
 */
export async function readAttentionItems(
  caller: Caller,
  only: AttentionKind | null = null,
): Promise<AttentionItems> {
  requirePermission(caller, 'see-everything')
  const mine = attentionKinds.filter((kind) => mayKnowAttention(caller.role, kind))
  const inTurn = turns()
  const [listed, unknownTypes] = await Promise.all([
    Promise.all(mine.map(async (kind) => ({ kind, found: await inTurn(() => list(kind)) }))),
    inTurn(() => countUnknownTypes(caller.role)),
  ])
  const there = listed.filter(({ found }) => found.length > 0)
  const part = (belongs: (kind: AttentionKind) => boolean, rows: number) =>
    oldestOf(
      there.filter(({ kind }) => belongs(kind)),
      rows,
    )
  const rows = only ? shownOfOneKind : shown
  const isListed = (kind: AttentionKind) => only === null || kind === only
  const waiting = part((kind) => isListed(kind) && isWaiting(kind), rows)
  const happened = part((kind) => isListed(kind) && !isWaiting(kind), rows)
  const off = part((kind) => kind === 'endpoint', shown)
  // The lists are read together, because an endpoint that is off may be in two of them.
  const views = await inTurn(() => readViews(caller.role, [...waiting, ...happened, ...off]))
  const toAttentionItems = (found: readonly Found[]) => found.flatMap((one) => views.get(keyOf(one)) ?? [])
  return {
    kinds: there.map(({ kind, found }) => ({ kind, total: upTo(found.length) })),
    waiting: toAttentionItems(waiting),
    happened: toAttentionItems(happened),
    off: await withOffSince(toAttentionItems(off).filter(isOfEndpoint)),
    unknownTypes,
  }
}

let ofProcess: ReturnType<typeof limitConcurrency> | undefined

/** All overviews of this process together query through half of the pool, so that a sign-in need not wait for them. */
function turns() {
  ofProcess ??= limitConcurrency(Math.max(1, Math.floor(poolSizes().pages / 2)))
  return ofProcess
}

interface Found extends ListedAttention {
  readonly kind: AttentionKind
}

/** The lists are in order, and the result has the oldest of all of them. */
const oldestOf = (
  lists: readonly { readonly kind: AttentionKind; readonly found: readonly ListedAttention[] }[],
  rows: number,
): Found[] =>
  lists
    .flatMap(({ kind, found }) => found.slice(0, rows).map((one) => ({ ...one, kind })))
    .toSorted((a, b) => a.since.getTime() - b.since.getTime())
    .slice(0, rows)

const isOfEndpoint = (item: AttentionItem): item is GapAttention | EndpointAttention =>
  item.kind === 'endpoint'

async function withOffSince(
  items: readonly (GapAttention | EndpointAttention)[],
): Promise<EndpointOffAttention[]> {
  const uuidOf = (item: GapAttention | EndpointAttention) =>
    ('endpoint' in item ? item.endpoint : item.gap.endpoint)?.uuid
  const uuids = items.flatMap((item) => uuidOf(item) ?? [])
  if (uuids.length === 0) return items.map((item) => ({ ...item, offSince: null }))
  const states = await readStatesSince(uuids)
  return items.map((item) => {
    const seen = states.get(uuidOf(item) ?? '')
    return { ...item, offSince: seen && seen.status !== 'active' ? { after: seen.after, by: seen.by } : null }
  })
}

function list(kind: AttentionKind): Promise<ListedAttention[]> {
  switch (kind) {
    case 'held':
    case 'stuck':
    case 'failed':
    case 'limit-breached':
    case 'conflict':
      return listTransactionAttentionItems(kind)
    case 'gap':
      return listGapAttentionItems()
    case 'endpoint':
      return listEndpointAttentionItems()
    case 'name-mismatch':
    case 'duplicate-user':
    case 'aml':
    case 'failed-kyc':
    case 'failed-account':
    case 'failed-company':
    case 'bounced-code':
      return listEventAttentionItems(kind)
  }
}

/**
 * The views are by `keyOf`. An item that disappeared between the two reads is missing. The queries run one by one, because they
 * share one turn.
 */
async function readViews(
  role: StaffRole,
  found: readonly Found[],
): Promise<ReadonlyMap<string, AttentionItem>> {
  const views = [
    ...(await toTransactionAttentionItems(role, found)),
    ...(await toEventAttentionItems(role, found)),
    ...(await toGapAttentionItems(found)),
    ...(await toEndpointAttentionItems(found)),
  ]
  return new Map(views.map((view) => [keyOf(view), view]))
}

const keyOf = ({ kind, about }: Pick<Found, 'kind' | 'about'>) => `${kind} ${about}`
