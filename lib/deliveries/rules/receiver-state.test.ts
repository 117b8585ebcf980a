import { expect, it } from 'vitest'
import { awaitsSecret, parseReceiverState, receiverStates, takesDeliveries } from './endpoint-states.ts'

it.each([
  { state: 'pending', taken: true, awaited: true },
  { state: 'active', taken: true, awaited: false },
  { state: 'rotating', taken: true, awaited: true },
  { state: 'deleting', taken: true, awaited: false },
  { state: 'closed', taken: false, awaited: false },
] as const)('$state: deliveries taken $taken, secret awaited $awaited', ({ state, taken, awaited }) => {
  expect(takesDeliveries(state)).toBe(taken)
  expect(awaitsSecret(state)).toBe(awaited)
})

it('reads each stored state, and one of a later version as active', () => {
  expect(receiverStates.map(parseReceiverState)).toEqual(receiverStates)
  expect(parseReceiverState('archived')).toBe('active')
})
