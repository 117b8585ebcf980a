import { expect, it } from 'vitest'
import type { Health } from '#lib/operations/rules/health.ts'
import { firstStepsOf } from './first-steps.tsx'

const at = '2026-02-01T10:00:00.000Z'
const empty: Health = {
  unreadSince: null,
  lastDeliveryAt: null,
  receiving: null,
  behindSince: null,
  gap: null,
  service: null,
  unwatchedSince: null,
}

it.each<[what: string, Partial<Health>, done: string[]]>([
  ['nobody has looked at the service yet', {}, []],
  ['the key is refused', { service: { outcome: 'key-refused', since: at } }, []],
  ['the service does not answer', { service: { outcome: 'unanswered', since: at } }, []],
  [
    'the service lists its endpoints',
    { service: { outcome: 'seen', since: at }, receiving: false },
    ['service'],
  ],
  [
    'an endpoint delivers here',
    { service: { outcome: 'seen', since: at }, receiving: true },
    ['service', 'endpoint'],
  ],
  [
    'the first delivery is shown',
    { service: { outcome: 'seen', since: at }, receiving: true, lastDeliveryAt: at },
    ['service', 'endpoint', 'delivery'],
  ],
])('when %s, ticks off what is done', (_what, known, done) => {
  const steps = firstStepsOf({ ...empty, ...known })
  expect(steps.filter((one) => one.done).map(({ step }) => step)).toEqual(done)
  expect(steps.map(({ step }) => step)).toEqual(['service', 'endpoint', 'delivery'])
})
