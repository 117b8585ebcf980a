import { expect, it } from 'vitest'
import { type PageState, weakestState } from '#lib/operations/rules/health.ts'
import { pageStateWords } from './page-state-indicator.tsx'
import { pageStateMeanings } from './page-state-meanings.ts'

const at = '2026-02-01T10:00:00.000Z'
const gap = {
  id: 'g1',
  kind: 'silent',
  severity: 'error',
  beganAt: at,
  endedAt: null,
  open: { count: 1, exact: true },
} as const

it('tells a role without the permission, in neutral words, that the state of deliveries is not shown', () => {
  const words = pageStateWords(weakestState('live', null))
  expect(words).toMatchObject({ tone: 'wait', long: 'State of deliveries not shown', href: null })
  expect(pageStateMeanings.states.connected).toContain('Support and admins see whether deliveries arrive')
})

it.each<[PageState, tone: string, long: string, href: string | null]>([
  [{ kind: 'up-to-date', lastDeliveryAt: at }, 'done', 'Up to date', '/timeline'],
  [{ kind: 'nothing-yet' }, 'wait', 'Nothing has arrived yet', '/endpoints'],
  [{ kind: 'reconnecting' }, 'held', 'Reconnecting…', null],
  [{ kind: 'paused' }, 'held', 'Paused', null],
  [{ kind: 'delayed' }, 'held', 'Delayed', null],
  [{ kind: 'behind', since: at }, 'held', 'Pages are behind', '/overview'],
  [{ kind: 'service-silent', since: at }, 'held', 'The provider does not answer', '/overview'],
  [{ kind: 'unread', since: at }, 'held', 'State not known', null],
  [{ kind: 'no-endpoint' }, 'fail', 'No endpoint delivers here', '/endpoints'],
  [{ kind: 'unwatched', since: at }, 'fail', 'The provider is not being checked', '/overview'],
  [{ kind: 'key-refused', since: at }, 'fail', 'The API key is rejected', '/overview'],
  [{ kind: 'missing', gap }, 'fail', 'Deliveries missing', '/gaps/g1'],
  [{ kind: 'perhaps-missing', gap }, 'held', 'Deliveries may be missing', '/gaps/g1'],
])('describes %j by a tone, words, and a link to what can be done', (state, tone, long, href) => {
  expect(pageStateWords(state)).toMatchObject({ tone, long, href })
})

it('is green only when the page was seen to be up to date', () => {
  for (const connection of ['connecting', 'live', 'reconnecting', 'delayed', 'paused'] as const)
    expect(pageStateWords(weakestState(connection, null)).tone, connection).not.toBe('done')
})
