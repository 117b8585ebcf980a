/**
 * A gap has one of these kinds: nobody accepted deliveries, a restored backup lacks them, they were deferred or
 * refused, the service did not send them, or nobody could see whether it sends any, because it refused our API key
 * or did not answer.
 */
export const gapKinds = [
  'down',
  'restored',
  'deferred',
  'refused',
  'disabled',
  'auto-disabled',
  'silent',
  'key-refused',
  'not-seen',
] as const
export type GapKind = (typeof gapKinds)[number]

/** Deliveries may be missing from a gap of these kinds. In the others the service could not be asked, but still delivered. */
export const missesDeliveries = (kind: GapKind): boolean => kind !== 'key-refused' && kind !== 'not-seen'

export const parseGapKind = (text: unknown): GapKind | null => gapKinds.find((kind) => kind === text) ?? null

/** An admin records one of these outcomes of a gap. */
export const gapOutcomes = ['nothing-missing', 'recovered', 'some-missing', 'no-gap'] as const
export type GapOutcome = (typeof gapOutcomes)[number]

/** The interval runs from `began` to `ended`, in ms since 1970; `ended` is null while it lasts. */
export interface GapInterval {
  readonly began: number
  readonly ended: number | null
}

/** `KnownGap` is a stored gap. `closed`: it has an outcome. `reopened`: an admin has taken an outcome back. */
export interface KnownGap extends GapInterval {
  readonly id: string
  readonly closed: boolean
  readonly reopened: boolean
}

export interface GapChanges {
  readonly added: readonly GapInterval[]
  readonly changed: readonly (GapInterval & { readonly id: string })[]
  /** These gaps are joined with a neighbour that stays. */
  readonly removed: readonly string[]
}

/** ASSUMED: intervals of one kind that are closer than this, in ms, are one gap. */
export const joinDistance = {
  // A process may die again and again.
  down: 5 * 60_000,
  // Each restore has its own backup.
  restored: 0,
  // `deferredPeriods` joins before this all that may concern the same delivery.
  deferred: 60_000,
  // The third wait of §6.8 is 731 s: until then the same delivery may be refused once more.
  refused: 15 * 60_000,
  disabled: 60_000,
  'auto-disabled': 60_000,
  silent: 15 * 60_000,
  'key-refused': 60_000,
  'not-seen': 15 * 60_000,
} as const satisfies Record<GapKind, number>

/**
 * Current evidence is joined with the known gaps of the same kind and endpoint. Repeated evidence changes nothing,
 * neighbouring gaps merge, and a lasting gap without evidence ends. A closed gap can only end: evidence beyond it
 * makes a new gap. `evidence` is all current evidence at `now`.
 */
export function joinEvidence(
  known: readonly KnownGap[],
  evidence: readonly GapInterval[],
  neighbourhood: number,
  now: number,
): GapChanges {
  const closed = known.filter((gap) => gap.closed)
  const pieces = evidence.flatMap((interval) => outside(interval, closed))
  const clusters = clustersOf([...known.filter((gap) => !gap.closed), ...pieces], neighbourhood)
  const joined = clusters.map((cluster) => join(cluster, now))
  const lasting = evidence.some(({ ended }) => ended === null)
  return {
    added: joined.flatMap(({ kept, interval }) => (kept ? [] : [interval])),
    changed: [
      ...joined.flatMap(({ kept, interval }) =>
        kept && !same(kept, interval) ? [{ id: kept.id, ...interval }] : [],
      ),
      ...closed.flatMap(({ id, began, ended }) =>
        ended === null && !lasting ? [{ id, began, ended: endOf(began, evidence, now) }] : [],
      ),
    ],
    removed: joined.flatMap(({ gone }) => gone),
  }
}

const isKnown = (interval: GapInterval): interval is KnownGap => 'id' in interval

const tail = ({ ended }: GapInterval) => ended ?? Number.POSITIVE_INFINITY

const same = (a: GapInterval, b: GapInterval) => a.began === b.began && a.ended === b.ended

/** The result has the parts of an interval that no closed gap covers. */
function outside(interval: GapInterval, closed: readonly GapInterval[]): GapInterval[] {
  let parts = [interval]
  for (const gap of closed) {
    parts = parts.flatMap((part) => {
      if (tail(part) < gap.began || part.began > tail(gap)) return [part]
      const before = part.began < gap.began ? [{ began: part.began, ended: gap.began }] : []
      const after = tail(part) > tail(gap) ? [{ began: tail(gap), ended: part.ended }] : []
      return [...before, ...after]
    })
  }
  return parts
}

/** Each interval of a group is near another one of it. */
function clustersOf(intervals: readonly GapInterval[], near: number): GapInterval[][] {
  const clusters: GapInterval[][] = []
  let end = Number.NEGATIVE_INFINITY
  for (const interval of intervals.toSorted((a, b) => a.began - b.began)) {
    const last = clusters.at(-1)
    if (last && interval.began - end <= near) last.push(interval)
    else clusters.push([interval])
    end = Math.max(end, tail(interval))
  }
  return clusters
}

function join(cluster: readonly GapInterval[], now: number) {
  // The gap that an admin has reopened stays, so that it is not closed under another id.
  const [kept, ...others] = cluster
    .filter(isKnown)
    .toSorted((a, b) => Number(b.reopened) - Number(a.reopened))
  const seen = cluster.filter((interval) => !isKnown(interval))
  const began = Math.min(...cluster.map((interval) => interval.began))
  const wasLasting = cluster.some((interval) => isKnown(interval) && interval.ended === null)
  const isLasting = seen.some(({ ended }) => ended === null)
  const ends = cluster.flatMap(({ ended }) => ended ?? [])
  const over = wasLasting ? endOf(began, seen, now) : began
  const ended = isLasting ? null : Math.max(over, ...ends)
  return { kept, interval: { began, ended }, gone: others.map(({ id }) => id) }
}

/** A gap that lasted ends with its evidence, or just now when there is none left. */
function endOf(began: number, seen: readonly GapInterval[], now: number): number {
  const ends = seen.flatMap(({ ended }) => (ended !== null && ended >= began ? [ended] : []))
  return ends.length > 0 ? Math.max(...ends) : Math.max(began, now)
}

interface Gap {
  readonly kind: GapKind
  /** The end is null while the gap lasts. */
  readonly endedAt: string | null
  readonly otherEndpoints: readonly { readonly isFullSubstitute: boolean }[]
  /** The service sends failed deliveries again until this time, or gave some up; null when this does not apply. */
  readonly retries: object | string | null
}

/** The severity is lower when an endpoint delivered meanwhile or retries are pending. The gap stays visible. */
export function gapSeverity(gap: Gap): 'info' | 'warning' | 'error' {
  if (isCovered(gap)) return 'info'
  if (gap.kind === 'deferred' && gap.retries !== null && typeof gap.retries === 'object') return 'info'
  return gap.endedAt || gap.kind === 'silent' || gap.kind === 'disabled' ? 'warning' : 'error'
}

interface Closed {
  readonly endedAt: string | null
  readonly closed: { readonly outcome: GapOutcome } | null
}

/** The gap needs nobody: an admin recorded the outcome of all of it, or it is covered. */
export const isSettled = (gap: Pick<Gap, 'otherEndpoints'> & Closed): boolean =>
  isFoundWhole(gap) || isCovered(gap)

/** The outcome covers the whole gap. An outcome from while the gap lasts says nothing about deliveries missed later. */
export const isFoundWhole = ({ endedAt, closed }: Closed): boolean =>
  closed !== null && (endedAt !== null || closed.outcome === 'no-gap')

/** Another endpoint was sent everything that this one missed, as far as known. */
export const isCovered = ({ otherEndpoints }: Pick<Gap, 'otherEndpoints'>): boolean =>
  otherEndpoints.some(({ isFullSubstitute }) => isFullSubstitute)
