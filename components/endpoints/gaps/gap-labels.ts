import type { RefusalReason } from '#lib/deliveries/rules/refusal-reasons.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { type GapKind, type GapOutcome, isCovered } from '#lib/endpoints/rules/gaps.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'
import { counted } from '#lib/words/labels/formats.ts'

interface GapKindLabel {
  readonly label: string
  /**
   * The title is a sentence with the endpoint's name, which is null when it is unknown or the gap is about all
   * endpoints.
   */
  readonly title: (endpoint: string | null) => string
  /** The meaning differs while the gap lasts and after it has ended. */
  readonly lasting: string
  readonly over: string
}

const anEndpoint = 'an endpoint'
const retried = 'The provider retries each up to six times, within 18 h 40 min.'
const notTakenAsTheyCame = 'They could not be accepted, or did not carry the right secret.'
const restoredMeaning = 'The backup ends where this period begins. Unacknowledged deliveries are retried.'
const off = {
  lasting: 'It gets no deliveries until an admin activates it. Events meanwhile may never be sent.',
  over: 'It got no deliveries in that time. Events meanwhile may never be sent.',
}

/** Each kind has a label and messages. Only active endpoints get deliveries (§6); failed ones are repeated (§6.8). */
export const gapKindLabels = {
  down: {
    label: 'Receiver down',
    title: () => 'This dashboard accepted no deliveries',
    lasting: 'It is stopped, or cannot reach its database.',
    over: 'It was stopped, or could not reach its database, perhaps more than once.',
  },
  restored: {
    label: 'Restored',
    title: () => 'The database was restored from a backup, or moved',
    // A restore has always ended by the time it is known.
    lasting: restoredMeaning,
    over: restoredMeaning,
  },
  deferred: {
    label: 'Deferred',
    title: (endpoint) => `Deliveries to ${endpoint ?? anEndpoint} were deferred`,
    lasting: `They cannot be accepted now. ${retried}`,
    over: `They could not be accepted then. ${retried}`,
  },
  refused: {
    label: 'Refused',
    title: (endpoint) => `Deliveries to ${endpoint ?? anEndpoint} were refused`,
    lasting: `${notTakenAsTheyCame} If it goes on, open the endpoint.`,
    over: notTakenAsTheyCame,
  },
  disabled: {
    label: 'Disabled',
    title: (endpoint) => `${endpoint ?? 'An endpoint'} was disabled`,
    ...off,
  },
  'auto-disabled': {
    label: 'Auto-disabled',
    title: (endpoint) => `The provider switched off ${endpoint ?? anEndpoint}`,
    ...off,
  },
  silent: {
    label: 'No traffic',
    title: (endpoint) => `No deliveries${endpoint ? ` to ${endpoint}` : ''}, which is unusual`,
    lasting: 'There may be no events. Compare with the provider.',
    over: 'There may have been no events. Compare with the provider.',
  },
  'key-refused': {
    label: 'API key rejected',
    title: () => 'The provider rejected the API key',
    lasting:
      'The state of endpoints is unknown. Deliveries are still accepted. An admin can change the key under Settings.',
    over: 'The state of endpoints was unknown. Deliveries were still accepted.',
  },
  'not-seen': {
    label: 'Unknown',
    title: () => 'The provider did not report the state of endpoints',
    lasting: 'It does not answer. Deliveries are still accepted.',
    over: 'It did not answer. Deliveries were still accepted.',
  },
} as const satisfies Record<GapKind, GapKindLabel>

/** The meaning is the one while the gap lasts, or the one after it has ended. */
export function gapMeaning({
  kind,
  endedAt,
  reasons = [],
}: Pick<GapView, 'kind' | 'endedAt'> & Partial<Pick<GapView, 'reasons'>>): string {
  const meaning = gapKindLabels[kind][endedAt === null ? 'lasting' : 'over']
  if (kind !== 'refused' || reasons.length === 0) return meaning
  const said = `Rejected: ${refusalReasonsMessage(reasons)}.`
  return endedAt === null ? `${said} ${refusalRemedy(reasons) ?? ''}`.trimEnd() : said
}

export const gapOutcomeLabels = {
  'nothing-missing': 'Checked, nothing is missing',
  recovered: 'What was missing has been recovered',
  'some-missing': 'Something is missing for good',
  'no-gap': 'False alarm',
} as const satisfies Record<GapOutcome, string>

export const gapTitle = ({ kind, endpoint }: Pick<GapView, 'kind' | 'endpoint'>): string =>
  gapKindLabels[kind].title(endpoint && `“${endpoint.name}”`)

/**
 * The message says what other endpoints brought meanwhile, without a promise that nothing is missing. Null when
 * none brought anything.
 */
export function otherEndpointsMessage({ otherEndpoints }: Pick<GapView, 'otherEndpoints'>): string | null {
  const [first] = otherEndpoints
  if (!first) return null
  const { name, deliveries, exact, isFullSubstitute, hadGap } = first
  if (isFullSubstitute && hadGap)
    return `“${name}” was off then too, and nothing is missing there any more. It has the same events, so probably nothing is missing.`
  const brought = `“${name}” received ${exact ? '' : 'more than '}${counted(deliveries, 'delivery', 'deliveries')} in that time`
  return isFullSubstitute
    ? `${brought}. It has the same events, so probably nothing is missing.`
    : `${brought}. It may not have all that was missing.`
}

/**
 * The label says whether an admin still has to close the gap, and whether it lasts. A gap that has ended has a less
 * urgent tone.
 */
export function gapStateLabel(gap: Pick<GapView, 'closed' | 'endedAt' | 'otherEndpoints'>): {
  readonly label: string
  readonly tone: Tone
} {
  if (gap.closed) return { label: gap.endedAt ? 'Closed' : 'Closed, ongoing', tone: 'done' }
  if (gap.endedAt) return { label: 'Over, not closed', tone: 'wait' }
  return { label: 'Ongoing', tone: isCovered(gap) ? 'held' : 'fail' }
}

interface RefusalLabel {
  /** `what` follows a number of deliveries: "12 carried another secret". */
  readonly what: string
  /**
   * `remedy` says what staff can do while refusals go on, also on the endpoint's own page; null when there is
   * nothing to do.
   */
  readonly remedy: string | null
}

const secret = 'Repair the endpoint, or rotate its secret where no repair is offered.'
const takenAway = 'A proxy in front of this dashboard must pass the Authorization header on unchanged.'
const busy = 'Check the database and the load of this machine.'
const network = 'Check the network between the provider and this dashboard.'

/** Each reason says why deliveries were refused, and what helps. */
const refusalLabels = {
  'wrong-secret': { what: 'carried a wrong secret', remedy: secret },
  'no-authorization': { what: 'came without Authorization', remedy: takenAway },
  'other-scheme': { what: 'carried another Authorization than API-Key', remedy: takenAway },
  'too-large': { what: 'had more than 1 MiB', remedy: 'Ask the provider why they are so large.' },
  encoded: {
    what: 'had an unreadable compression',
    remedy: 'Ask the provider to compress by gzip, or not at all.',
  },
  'unknown-receiver': { what: 'came to a closed address', remedy: secret },
  'secret-not-known-yet': { what: 'came while the secret was being made or rotated', remedy: secret },
  'secret-not-checkable': {
    what: 'could not be checked with the keys of this server',
    remedy: 'Put the earlier keys back into RAMPART_KEYS and restart.',
  },
  'queue-full': { what: 'came while too many were waiting', remedy: busy },
  'too-late': { what: 'could not be stored in time', remedy: busy },
  'no-memory': { what: 'found no memory left for the body', remedy: busy },
  database: {
    what: 'could not be stored, since the database did not answer',
    remedy: 'Check the database.',
  },
  'too-slow': { what: 'came too slowly', remedy: network },
  'broken-off': { what: 'broke off before the end', remedy: network },
  'wrong-method': { what: 'came by another method than POST', remedy: null },
} as const satisfies Record<RefusalReason, RefusalLabel>

type RefusalCounts = readonly { readonly why: RefusalReason | null; readonly count: number }[]

/** The text is "50 could not be checked with the keys of this server, 3 came too slowly". */
export const refusalReasonsMessage = (reasons: RefusalCounts): string =>
  reasons
    .map(
      ({ why, count }) =>
        `${count.toLocaleString('en')} ${why ? refusalLabels[why].what : 'for another reason'}`,
    )
    .join(', ')

/** The remedy is that of the most frequent reason; null when nothing is known. */
export function refusalRemedy(reasons: RefusalCounts): string | null {
  const [most] = reasons
  return most?.why ? refusalLabels[most.why].remedy : null
}
