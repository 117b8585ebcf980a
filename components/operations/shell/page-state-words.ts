import type { GapKind } from '#lib/endpoints/rules/gaps.ts'
import type { PageState } from '#lib/operations/rules/weakest-state.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'

/** What the header says of one state. */
interface StateWords {
  readonly tone: Tone
  /** In a word or three; alone where there is little room. */
  readonly short: string
  /** The same where there is room. */
  readonly long: string
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
    href: null,
  },
  paused: {
    tone: 'held',
    short: 'Paused',
    long: 'Paused',
    href: null,
  },
  delayed: {
    tone: 'held',
    short: 'Delayed',
    long: 'Delayed',
    href: null,
  },
  unread: {
    tone: 'held',
    short: 'Not known',
    long: 'State not known',
    href: null,
  },
  'no-endpoint': {
    tone: 'fail',
    short: 'No endpoint',
    long: 'No endpoint delivers here',
    href: '/endpoints',
  },
  unwatched: {
    tone: 'fail',
    short: 'Not watched',
    long: 'Nobody looks at the service',
    href: '/overview',
  },
  'key-refused': {
    tone: 'fail',
    short: 'Key refused',
    long: 'The key is refused',
    href: '/overview',
  },
  behind: {
    tone: 'held',
    short: 'Behind',
    long: 'Pages are behind',
    href: '/overview',
  },
  'service-silent': {
    tone: 'held',
    short: 'Service silent',
    long: 'The service does not answer',
    href: '/overview',
  },
  'nothing-yet': {
    tone: 'wait',
    short: 'Nothing yet',
    long: 'Nothing has arrived yet',
    href: '/endpoints',
  },
  connected: {
    tone: 'wait',
    short: 'Not shown',
    long: 'State of deliveries not shown',
    href: null,
  },
  'up-to-date': {
    tone: 'done',
    short: 'Up to date',
    long: 'Up to date',
    href: '/timeline',
  },
} as const satisfies Record<Exclude<PageState['kind'], 'missing' | 'perhaps-missing'>, StateWords>

/**
 * A sentence on hover for each state: what it means, and what happens by itself; that of a gap goes by its kind. The server puts
 * them into the page: they are no part of its scripts.
 */
export interface PageStateMeanings {
  readonly states: Readonly<Record<Exclude<PageState['kind'], 'missing' | 'perhaps-missing'>, string>>
  readonly gaps: Readonly<Record<GapKind, string>>
}

export const pageStateMeanings: PageStateMeanings = {
  states: {
    reconnecting:
      'The connection is broken. Nothing is lost: what arrives meanwhile is shown as soon as it is back.',
    paused: 'What arrives is held back. Click to go on.',
    delayed:
      'No live connection is free, or none comes through a proxy. Nothing is lost: this page looks for changes by itself every few seconds.',
    unread:
      'How deliveries and the service stand cannot be read, and what came since may not be shown. It is tried again by itself.',
    'no-endpoint':
      'No endpoint of the service is active that delivers to this dashboard: nothing new can arrive.',
    unwatched:
      'Whether endpoints are active cannot be seen, and a silence is not noticed. Deliveries are taken as before.',
    'key-refused':
      'The service refuses the API key: whether endpoints are active cannot be seen, and nobody can sign in by wallet or code. Deliveries are taken as before.',
    behind: 'Deliveries that were taken are not shown yet. Nothing is lost.',
    'service-silent': 'Whether endpoints are active cannot be seen. Deliveries are taken as before.',
    'nothing-yet': 'An endpoint delivers here. What it sends appears by itself.',
    connected:
      'Whether deliveries arrive is not shown to your role: support and admins see it. What is received appears here at once.',
    'up-to-date': 'Deliveries arrive, and are shown at once.',
  },
  gaps: {
    down: 'This dashboard took no deliveries for a while.',
    restored: 'What was acknowledged after a backup that was restored is no longer here.',
    deferred: 'Deliveries were asked for again later.',
    refused: 'Deliveries were refused.',
    disabled: 'An endpoint was disabled.',
    'auto-disabled': 'The service switched off an endpoint.',
    silent: 'Nothing came, against the usual pace.',
    'key-refused': 'The service refused the API key.',
    'not-seen': 'The service did not say how its endpoints are.',
  },
}
