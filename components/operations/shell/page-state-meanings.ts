import type { GapKind } from '#lib/endpoints/rules/gaps.ts'
import type { PageState } from '#lib/operations/rules/health.ts'

/**
 * Each state has a sentence on hover: its meaning, and what happens automatically. A gap has one for its kind. The
 * server puts them into the page, so they are no part of its scripts.
 */
export interface PageStateMeanings {
  readonly states: Readonly<Record<Exclude<PageState['kind'], 'missing' | 'perhaps-missing'>, string>>
  readonly gaps: Readonly<Record<GapKind, string>>
}

export const pageStateMeanings: PageStateMeanings = {
  states: {
    reconnecting: 'The connection is broken. Nothing is lost: new events appear once it is back.',
    paused: 'New events are held back. Click to resume.',
    delayed:
      'No live connection is available. Nothing is lost: this page checks for changes every few seconds.',
    unread:
      'The state of deliveries cannot be read. New events may not be shown. It is retried automatically.',
    'no-endpoint': 'No active endpoint delivers to this dashboard: nothing new can arrive.',
    unwatched:
      'The state of endpoints is unknown, and a silence goes unnoticed. Deliveries are still accepted.',
    'key-refused':
      'The provider rejects the API key. Nobody can sign in by wallet or code. Deliveries are still accepted.',
    behind: 'Accepted deliveries are not shown yet. Nothing is lost.',
    'service-silent': 'The state of endpoints is unknown. Deliveries are still accepted.',
    'nothing-yet': 'An endpoint delivers here. New events appear automatically.',
    connected: 'Support and admins see whether deliveries arrive. New events appear here at once.',
    'up-to-date': 'Deliveries arrive and are shown at once.',
  },
  gaps: {
    down: 'This dashboard accepted no deliveries for a while.',
    restored: 'A backup was restored. Later deliveries are gone.',
    deferred: 'Deliveries were deferred.',
    refused: 'Deliveries were refused.',
    disabled: 'An endpoint was disabled.',
    'auto-disabled': 'The provider switched off an endpoint.',
    silent: 'No deliveries, which is unusual.',
    'key-refused': 'The provider rejected the API key.',
    'not-seen': 'The provider did not report the state of endpoints.',
  },
}
