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
const retried = 'The service sends each up to six times more, the last 18 h 40 min after the first.'
const notTakenAsTheyCame =
  'They could not be taken as they came, or came without the secret while none with it was accepted.'
const restoredMeaning =
  'The backup ends where this time begins. What nobody acknowledged comes again by itself.'
const off = {
  lasting:
    'Nothing is delivered to it until an admin sets it to active. What happens meanwhile may never be sent.',
  over: 'Nothing was delivered to it in that time. What happened meanwhile may never be sent.',
}

/** Each kind has a label and messages. Only active endpoints get deliveries (§6); failed ones are repeated (§6.8). */
export const gapKindLabels = {
  down: {
    label: 'Not taking',
    title: () => 'This dashboard took no deliveries',
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
    title: (endpoint) => `Deliveries to ${endpoint ?? anEndpoint} were asked for again later`,
    lasting: `They cannot be taken now. ${retried}`,
    over: `They could not be taken just then. ${retried}`,
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
    title: (endpoint) => `The service switched off ${endpoint ?? anEndpoint}`,
    ...off,
  },
  silent: {
    label: 'Quiet',
    title: (endpoint) => `Nothing came${endpoint ? ` to ${endpoint}` : ''}, against the usual pace`,
    lasting: 'Perhaps nothing happens. Compare with what the provider knows.',
    over: 'Perhaps nothing happened. Compare with what the provider knows.',
  },
  'key-refused': {
    label: 'Key refused',
    title: () => 'The service refused the API key',
    lasting:
      'Nobody can see whether endpoints are active. Deliveries are taken as they come; an admin gives another key under Settings.',
    over: 'Nobody could see meanwhile whether endpoints were active. Deliveries were taken as they came.',
  },
  'not-seen': {
    label: 'Not seen',
    title: () => 'The service did not say how its endpoints are',
    lasting:
      'It does not answer, so nobody can see whether endpoints are active. Deliveries are taken as they come.',
    over: 'It did not answer, so nobody could see whether endpoints were active. Deliveries were taken as they came.',
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
  const said = `Not taken: ${refusalReasonsMessage(reasons)}.`
  return endedAt === null ? `${said} ${refusalRemedy(reasons) ?? ''}`.trimEnd() : said
}

export const gapOutcomeLabels = {
  'nothing-missing': 'Checked, nothing is missing',
  recovered: 'What was missing has been recovered',
  'some-missing': 'Something is missing, and stays so',
  'no-gap': 'It was no gap',
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
    return `“${name}” had a gap in that time too, in which nothing is missing any more. It is subscribed to the same events, so they may all have come that way.`
  const brought = `“${name}” brought ${exact ? '' : 'more than '}${counted(deliveries, 'delivery', 'deliveries')} in that time`
  return isFullSubstitute
    ? `${brought} and is subscribed to the same events, so they may all have come that way.`
    : `${brought}, but may not have been sent all that was missing.`
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
const takenAway =
  'Look at the proxy in front of this dashboard, or the service’s way to it: have it pass the Authorization header on as it came.'
const busy = 'Look at the database and at the load of this machine.'
const network = 'Look at the network between the service and this dashboard.'

/** Each reason says why deliveries were refused, and what helps. */
const refusalLabels = {
  'wrong-secret': { what: 'carried another secret', remedy: secret },
  'no-authorization': { what: 'came without Authorization', remedy: takenAway },
  'other-scheme': { what: 'carried another Authorization than API-Key', remedy: takenAway },
  'too-large': { what: 'had more than 1 MiB', remedy: 'Ask the provider why they are so large.' },
  encoded: {
    what: 'had a body whose compression cannot be undone',
    remedy: 'Ask the provider to compress by gzip, or not at all.',
  },
  'unknown-receiver': { what: 'came to an address that is closed here', remedy: secret },
  'secret-not-known-yet': { what: 'came while the secret was being made or rotated', remedy: secret },
  'secret-not-checkable': {
    what: 'could not be checked with the keys of this server',
    remedy: 'Put the earlier keys back into RAMPART_KEYS and restart.',
  },
  'queue-full': { what: 'came while too many were waiting', remedy: busy },
  'too-late': { what: 'could not be stored in time', remedy: busy },
  'no-memory': { what: 'found no memory left for their body', remedy: busy },
  database: {
    what: 'could not be stored, since the database did not answer',
    remedy: 'Look at the database.',
  },
  'too-slow': { what: 'came too slowly', remedy: network },
  'broken-off': { what: 'broke off before they were whole', remedy: network },
  'wrong-method': { what: 'were no deliveries', remedy: null },
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
