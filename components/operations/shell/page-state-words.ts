import type { PageState } from '#lib/operations/rules/health.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'

/** The header says this of one state. */
interface StateWords {
  readonly tone: Tone
  /** `short` has one to three words, for little room. */
  readonly short: string
  /** `long` is shown when there is room. */
  readonly long: string
  /** `href` leads to what can be done; null when there is nothing to do. */
  readonly href: string | null
}

/** Each state has its words. The ticking time and the number of open items follow them. */
export function pageStateWords(state: PageState): StateWords {
  switch (state.kind) {
    case 'missing':
    case 'perhaps-missing': {
      const missing = state.kind === 'missing' ? 'Deliveries missing' : 'Deliveries may be missing'
      return {
        tone: state.kind === 'missing' ? 'fail' : 'held',
        short: state.kind === 'missing' ? 'Missing' : 'Missing?',
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
    long: 'The provider is not being checked',
    href: '/overview',
  },
  'key-refused': {
    tone: 'fail',
    short: 'Key rejected',
    long: 'The API key is rejected',
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
    short: 'Provider silent',
    long: 'The provider does not answer',
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
