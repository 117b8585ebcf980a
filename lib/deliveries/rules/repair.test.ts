import { describe, expect, it } from 'vitest'
import type { SecretHandoffState } from './endpoint-states.ts'
import { type Repair, type RepairFacts, repairElsewhere, repairHere } from './repair.ts'

const uuid = '3F2C1B1E-7A44-4C43-9A4F-1D2C3B4A5968'
const minute = 60_000
const hour = 60 * minute
const now = 100 * hour
const receiver: RepairFacts = {
  state: 'active',
  endpointUuid: uuid.toLowerCase(),
  updatedAt: now - 10 * hour,
  lastDeliveryAt: now - hour,
  wrongSecretAt: null,
}

describe('an endpoint here', () => {
  it.each<[string, Partial<RepairFacts> | null, Repair | null]>([
    ['that works', {}, null],
    ['whose receiver is not known', null, 'no-secret'],
    ['whose receiver is closed', { state: 'closed' }, 'no-secret'],
    ['whose receiver is of another endpoint', { endpointUuid: 'other' }, 'no-secret'],
    ['whose receiver is of no endpoint yet', { endpointUuid: null }, null],
    ['whose secret was asked for a moment ago', { state: 'rotating', updatedAt: now - 14_999 }, null],
    ['whose secret never came', { state: 'rotating', updatedAt: now - 15_000 }, 'no-secret'],
    ['whose last delivery carried another secret', { wrongSecretAt: now - minute }, 'wrong-secret'],
    ['that took one with the right secret since', { wrongSecretAt: now - hour - 1 }, null],
    [
      'whose wrong one was in flight while the secret changed',
      { updatedAt: now - 2 * hour, lastDeliveryAt: null, wrongSecretAt: now - 2 * hour + minute },
      null,
    ],
    [
      'that got a wrong one more than a minute after the secret changed',
      { updatedAt: now - 2 * hour, lastDeliveryAt: null, wrongSecretAt: now - 2 * hour + minute + 1 },
      'wrong-secret',
    ],
    [
      'that took one less than 15 minutes ago',
      { lastDeliveryAt: now - 15 * minute + 1, wrongSecretAt: now - minute },
      null,
    ],
    [
      'that took one 15 minutes ago',
      { lastDeliveryAt: now - 15 * minute, wrongSecretAt: now - minute },
      'wrong-secret',
    ],
  ])('%s', (_which, change, repair) => {
    expect(repairHere(uuid, change && { ...receiver, ...change }, now)).toBe(repair)
  })
})

describe('an endpoint elsewhere', () => {
  it.each<[string, Partial<RepairFacts> | null, SecretHandoffState | null, Repair | null]>([
    ['that is none of ours', null, null, null],
    ['at an earlier public address', {}, 'requested', 'other-address'],
    ['at the earlier address of a closed receiver', { state: 'closed' }, null, null],
    ['whose secret nobody has seen', null, 'requested', 'not-seen'],
    ['whose secret is shown', null, 'shown', null],
    ['whose predecessor is still to be deleted', null, 'deployed', 'half-replaced'],
  ])('%s', (_which, change, handoff, repair) => {
    expect(repairElsewhere(uuid, change && { ...receiver, ...change }, handoff)).toBe(repair)
  })
})
