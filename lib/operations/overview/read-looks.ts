import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { readStatesSince } from '#lib/endpoints/endpoint-states.ts'
import { limitConcurrency } from '#lib/platform/db/concurrency.ts'
import { poolSizes } from '#lib/platform/db/pool-sizes.ts'
import { upTo } from '#lib/platform/paging/paging.ts'
import { isWaiting, type LookKind, lookKinds } from '../rules/look-kinds.ts'
import { mayKnowLook } from '../rules/may-know-look.ts'
import { listEndpointLooks, listGapLooks, toEndpointLooks } from './list-endpoint-looks.ts'
import { countUnknownTypes, listEventLooks, type UnknownType } from './list-event-looks.ts'
import { listTransactionLooks } from './list-transaction-looks.ts'
import type { EndpointLook, EndpointOffLook, GapLook, ListedLook, LooksOfKind, LookView } from './looks.ts'
import { toEventLooks, toGapLooks, toTransactionLooks } from './to-looks.ts'

/** Attention items are shown as the caller's role may see them. */
export interface Looks {
  /** The kinds with at least one item are in the order of `lookKinds`. */
  readonly kinds: readonly Omit<LooksOfKind, 'oldest'>[]
  /** Waiting items are listed by how long they wait, the longest first, limited to the requested kind. */
  readonly waiting: readonly LookView[]
  /** Recent items are listed from the oldest on. */
  readonly happened: readonly LookView[]
  /** Endpoints that are not active are always listed, those inactive for longest first. */
  readonly off: readonly EndpointOffLook[]
  /** Events of the last days have these types, which were unknown when this version was made. */
  readonly unknownTypes: readonly UnknownType[]
}

/** Each of the two lists has at most `shown` rows, or `shownOfOneKind` rows of one requested kind. */
const shown = 12
const shownOfOneKind = 100

/**
 * `readLooks` reads the attention items. It throws `NotAllowed`.
 * @param only the one kind to list; null for all
 */
export async function readLooks(caller: Caller, only: LookKind | null = null): Promise<Looks> {
  requirePermission(caller, 'see-everything')
  const mine = lookKinds.filter((kind) => mayKnowLook(caller.role, kind))
  const inTurn = turns()
  const [listed, unknownTypes] = await Promise.all([
    Promise.all(mine.map(async (kind) => ({ kind, found: await inTurn(() => list(kind)) }))),
    inTurn(() => countUnknownTypes(caller.role)),
  ])
  const there = listed.filter(({ found }) => found.length > 0)
  const part = (belongs: (kind: LookKind) => boolean, rows: number) =>
    oldestOf(
      there.filter(({ kind }) => belongs(kind)),
      rows,
    )
  const rows = only ? shownOfOneKind : shown
  const isListed = (kind: LookKind) => only === null || kind === only
  const waiting = part((kind) => isListed(kind) && isWaiting(kind), rows)
  const happened = part((kind) => isListed(kind) && !isWaiting(kind), rows)
  const off = part((kind) => kind === 'endpoint', shown)
  // The lists are read together, because an endpoint that is off may be in two of them.
  const views = await inTurn(() => readViews(caller.role, [...waiting, ...happened, ...off]))
  const toLooks = (found: readonly Found[]) => found.flatMap((one) => views.get(keyOf(one)) ?? [])
  return {
    kinds: there.map(({ kind, found }) => ({ kind, total: upTo(found.length) })),
    waiting: toLooks(waiting),
    happened: toLooks(happened),
    off: await withOffSince(toLooks(off).filter(isOfEndpoint)),
    unknownTypes,
  }
}

let ofProcess: ReturnType<typeof limitConcurrency> | undefined

/** All overviews of this process together query through half of the pool, so that a sign-in need not wait for them. */
function turns() {
  ofProcess ??= limitConcurrency(Math.max(1, Math.floor(poolSizes().pages / 2)))
  return ofProcess
}

interface Found extends ListedLook {
  readonly kind: LookKind
}

/** The lists are in order, and the result has the oldest of all of them. */
const oldestOf = (
  lists: readonly { readonly kind: LookKind; readonly found: readonly ListedLook[] }[],
  rows: number,
): Found[] =>
  lists
    .flatMap(({ kind, found }) => found.slice(0, rows).map((one) => ({ ...one, kind })))
    .toSorted((a, b) => a.since.getTime() - b.since.getTime())
    .slice(0, rows)

const isOfEndpoint = (look: LookView): look is GapLook | EndpointLook => look.kind === 'endpoint'

async function withOffSince(looks: readonly (GapLook | EndpointLook)[]): Promise<EndpointOffLook[]> {
  const uuidOf = (look: GapLook | EndpointLook) =>
    ('endpoint' in look ? look.endpoint : look.gap.endpoint)?.uuid
  const uuids = looks.flatMap((look) => uuidOf(look) ?? [])
  if (uuids.length === 0) return looks.map((look) => ({ ...look, offSince: null }))
  const states = await readStatesSince(uuids)
  return looks.map((look) => {
    const seen = states.get(uuidOf(look) ?? '')
    return { ...look, offSince: seen && seen.status !== 'active' ? { after: seen.after, by: seen.by } : null }
  })
}

function list(kind: LookKind): Promise<ListedLook[]> {
  switch (kind) {
    case 'held':
    case 'stuck':
    case 'failed':
    case 'limit-breached':
    case 'conflict':
      return listTransactionLooks(kind)
    case 'gap':
      return listGapLooks()
    case 'endpoint':
      return listEndpointLooks()
    case 'name-mismatch':
    case 'duplicate-user':
    case 'aml':
    case 'failed-kyc':
    case 'failed-account':
    case 'failed-company':
    case 'bounced-code':
      return listEventLooks(kind)
  }
}

/**
 * The views are by `keyOf`. An item that disappeared between the two reads is missing. The queries run one by one, because they
 * share one turn.
 */
async function readViews(role: StaffRole, found: readonly Found[]): Promise<ReadonlyMap<string, LookView>> {
  const views = [
    ...(await toTransactionLooks(role, found)),
    ...(await toEventLooks(role, found)),
    ...(await toGapLooks(found)),
    ...(await toEndpointLooks(found)),
  ]
  return new Map(views.map((view) => [keyOf(view), view]))
}

const keyOf = ({ kind, about }: Pick<Found, 'kind' | 'about'>) => `${kind} ${about}`
