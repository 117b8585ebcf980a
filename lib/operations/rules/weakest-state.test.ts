import { expect, it } from 'vitest'
import { type Connection, type Health, type OpenGap, type PageState, weakestState } from './health.ts'

const at = '2026-02-01T10:00:00.000Z'
const since = '2026-02-01T00:42:00.000Z'
const well: Health = {
  unreadSince: null,
  lastDeliveryAt: at,
  receiving: true,
  behindSince: null,
  gap: null,
  service: { outcome: 'seen', since },
  unwatchedSince: null,
}
const lasting: OpenGap = {
  id: 'g',
  kind: 'auto-disabled',
  severity: 'error',
  beganAt: since,
  endedAt: null,
  open: { count: 18, exact: true },
}
const silent: OpenGap = { ...lasting, kind: 'silent', severity: 'warning' }
const over: OpenGap = { ...lasting, severity: 'warning', endedAt: at }
const refused: Health = { ...well, service: { outcome: 'key-refused', since } }
const unanswered: Health = { ...well, service: { outcome: 'unanswered', since } }
const everythingWrong: Health = { ...refused, gap: lasting, receiving: false, behindSince: since }

it.each<[what: string, Connection, Health | null, PageState]>([
  ['all is well', 'live', well, { kind: 'up-to-date', lastDeliveryAt: at }],
  ['the page opens', 'connecting', well, { kind: 'up-to-date', lastDeliveryAt: at }],
  ['the connection is broken, whatever else is', 'reconnecting', everythingWrong, { kind: 'reconnecting' }],
  ['somebody holds it back, whatever else is', 'paused', everythingWrong, { kind: 'paused' }],
  [
    'it cannot be read how all stands, whatever was said before',
    'live',
    { ...everythingWrong, unreadSince: at },
    { kind: 'unread', since: at },
  ],
  [
    'deliveries are missing, whatever the service says',
    'live',
    everythingWrong,
    { kind: 'missing', gap: lasting },
  ],
  [
    'deliveries are missing and the page looks rarely',
    'delayed',
    { ...well, gap: lasting },
    { kind: 'missing', gap: lasting },
  ],
  [
    'it is quiet, and nobody delivers here',
    'live',
    { ...well, receiving: false, gap: silent },
    { kind: 'missing', gap: silent },
  ],
  [
    'nobody delivers here, and the key is refused',
    'live',
    { ...refused, receiving: false },
    { kind: 'no-endpoint' },
  ],
  [
    'a gap is over, but nobody delivers here',
    'live',
    { ...well, receiving: false, gap: over },
    { kind: 'no-endpoint' },
  ],
  [
    'the key is refused, and it is quiet',
    'live',
    { ...refused, gap: silent },
    { kind: 'key-refused', since },
  ],
  [
    'the key is refused, and pages are behind',
    'live',
    { ...refused, behindSince: at },
    { kind: 'key-refused', since },
  ],
  [
    'pages are behind, and it is quiet',
    'live',
    { ...well, behindSince: at, gap: silent },
    { kind: 'behind', since: at },
  ],
  [
    'it is quiet, and the service does not answer',
    'live',
    { ...unanswered, gap: silent },
    { kind: 'perhaps-missing', gap: silent },
  ],
  [
    'the service does not answer, and a gap is over',
    'live',
    { ...unanswered, gap: over },
    { kind: 'service-silent', since },
  ],
  [
    'the service does not answer, and the page looks rarely',
    'delayed',
    unanswered,
    { kind: 'service-silent', since },
  ],
  [
    'nobody looks at the service, which had no endpoint and refused the key before',
    'live',
    { ...refused, receiving: false, unwatchedSince: at },
    { kind: 'unwatched', since: at },
  ],
  [
    'deliveries are missing, and nobody looks at the service',
    'live',
    { ...well, gap: lasting, unwatchedSince: at },
    { kind: 'missing', gap: lasting },
  ],
  ['the page looks rarely, and a gap is over', 'delayed', { ...well, gap: over }, { kind: 'delayed' }],
  [
    'a gap is over that nobody has checked',
    'live',
    { ...well, gap: over },
    { kind: 'perhaps-missing', gap: over },
  ],
  ['nothing has come yet', 'live', { ...well, lastDeliveryAt: null }, { kind: 'nothing-yet' }],
  [
    'the service was not asked yet',
    'live',
    { ...well, receiving: null, service: null },
    { kind: 'up-to-date', lastDeliveryAt: at },
  ],
  ['a role may not know more than its connection', 'live', null, { kind: 'connected' }],
  ['such a role reads while the connection is broken', 'reconnecting', null, { kind: 'reconnecting' }],
  ['such a role has no stream', 'delayed', null, { kind: 'delayed' }],
])('when %s, says so', (_what, connection, health, state) => {
  expect(weakestState(connection, health)).toEqual(state)
})
