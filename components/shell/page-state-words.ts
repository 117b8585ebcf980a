import type { GapKind } from '#lib/domain/gaps/gaps.ts'
import type { PageState } from '#lib/domain/health/weakest-state.ts'
import type { Tone } from '#lib/labels/event-labels.ts'

/** What the header says of one state. */
export interface StateWords {
  readonly tone: Tone
  /** In a word or three; alone where there is little room. */
  readonly short: string
  /** The same where there is room. */
  readonly long: string
  /** A sentence on hover: what it means, and what happens by itself. */
  readonly meaning: string
  /** Where one can act; null where there is nothing to do. */
  readonly href: string | null
}

/** The words of a state. What ticks, and how many are open, is put behind them. */
export function pageStateWords(state: PageState): StateWords {
  switch (state.kind) {
    case 'missing':
    case 'perhaps-missing': {
      const missing = state.kind === 'missing' ? 'Deliveries missing' : 'Deliveries may be missing'
      return {
        tone: state.kind === 'missing' ? 'fail' : 'held',
        short: state.kind === 'missing' ? 'Missing' : 'Gap',
        long: missing,
        meaning: `${gapMeanings[state.gap.kind]} Open the gap to see which transactions it touches.`,
        href: `/gaps/${state.gap.id}`,
      }
    }
    default:
      return words[state.kind]
  }
}

const words = {
  reconnecting: {
    tone: 'held',
    short: 'Reconnecting',
    long: 'Reconnecting…',
    meaning:
      'The connection is broken. Nothing is lost: what arrives meanwhile is shown as soon as it is back.',
    href: null,
  },
  paused: {
    tone: 'held',
    short: 'Paused',
    long: 'Paused',
    meaning: 'What arrives is held back. Click to go on.',
    href: null,
  },
  delayed: {
    tone: 'held',
    short: 'Delayed',
    long: 'Delayed',
    meaning:
      'Too many pages are open at once. This one looks for changes every few seconds; close others to have it live.',
    href: null,
  },
  unread: {
    tone: 'held',
    short: 'Not known',
    long: 'State not known',
    meaning:
      'How deliveries and the service stand cannot be read, and what came since may not be shown. It is tried again by itself.',
    href: null,
  },
  'no-endpoint': {
    tone: 'fail',
    short: 'No endpoint',
    long: 'No endpoint delivers here',
    meaning: 'No endpoint of the service is active that delivers to this dashboard: nothing new can arrive.',
    href: '/endpoints',
  },
  unwatched: {
    tone: 'fail',
    short: 'Not watched',
    long: 'Nobody looks at the service',
    meaning:
      'Whether endpoints are active cannot be seen, and a silence is not noticed. Deliveries are taken as before.',
    href: '/overview',
  },
  'key-refused': {
    tone: 'fail',
    short: 'Key refused',
    long: 'The key is refused',
    meaning:
      'The service refuses the API key: whether endpoints are active cannot be seen, and nobody can sign in by wallet or code. Deliveries are taken as before.',
    href: '/overview',
  },
  behind: {
    tone: 'held',
    short: 'Behind',
    long: 'Pages are behind',
    meaning: 'Deliveries that were taken are not shown yet. Nothing is lost.',
    href: '/overview',
  },
  'service-silent': {
    tone: 'held',
    short: 'Service silent',
    long: 'The service does not answer',
    meaning: 'Whether endpoints are active cannot be seen. Deliveries are taken as before.',
    href: '/overview',
  },
  'nothing-yet': {
    tone: 'wait',
    short: 'Nothing yet',
    long: 'Nothing has arrived yet',
    meaning: 'An endpoint delivers here. What it sends appears by itself.',
    href: '/endpoints',
  },
  connected: {
    tone: 'wait',
    short: 'Not shown',
    long: 'State of deliveries not shown',
    meaning:
      'Whether deliveries arrive is not shown to your role: support and admins see it. What is received appears here at once.',
    href: null,
  },
  'up-to-date': {
    tone: 'done',
    short: 'Up to date',
    long: 'Up to date',
    meaning: 'Deliveries arrive, and are shown at once.',
    href: '/timeline',
  },
} as const satisfies Record<Exclude<PageState['kind'], 'missing' | 'perhaps-missing'>, StateWords>

const gapMeanings = {
  down: 'This dashboard took no deliveries for a while.',
  deferred: 'Deliveries were asked for again later.',
  refused: 'Deliveries were refused.',
  disabled: 'An endpoint was disabled.',
  'auto-disabled': 'The service switched off an endpoint.',
  silent: 'Nothing came, against the usual pace.',
  'key-refused': 'The service refused the API key.',
  'not-seen': 'The service did not say how its endpoints are.',
} as const satisfies Record<GapKind, string>
