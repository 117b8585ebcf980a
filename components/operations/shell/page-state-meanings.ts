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
