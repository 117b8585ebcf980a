import { describe, expect, it } from 'vitest'
import { wordRefusal } from '#lib/words/labels/refusals.ts'
import {
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorFacts,
  type ServiceOperation,
  serviceRefusal,
} from './errors.ts'

const codes = Object.keys({
  invalid: 0,
  unauthorized: 0,
  forbidden: 0,
  'not-found': 0,
  conflict: 0,
  'too-many': 0,
  rejected: 0,
  unavailable: 0,
  'timed-out': 0,
  unreachable: 0,
  nonsense: 0,
} satisfies Record<ServiceErrorCode, 0>) as ServiceErrorCode[]

const operations = Object.keys({
  'create-user': 0,
  'get-user': 0,
  'create-endpoint': 0,
  'list-endpoints': 0,
  'get-endpoint': 0,
  'update-endpoint': 0,
  'rotate-secret': 0,
  'secret-for-here': 0,
  'delete-endpoint': 0,
  'list-supported-countries': 0,
  'read-merchant': 0,
  'share-verification': 0,
} satisfies Record<ServiceOperation, 0>) as ServiceOperation[]

const words = (operation: ServiceOperation, facts: ServiceErrorFacts) =>
  wordRefusal('en', serviceRefusal(new ServiceError('POST /x', facts), operation))

describe('the words for a failed call', () => {
  it.each(operations)('are whole sentences for %s, whatever went wrong', (operation) => {
    for (const code of codes) {
      for (const mayHaveTakenEffect of [false, true]) {
        const { title, next } = words(operation, { code, mayHaveTakenEffect })
        expect(title).toMatch(/^[A-Z].{10,80}\.$/)
        expect(next).toMatch(/^[A-Z].{20,260}\.$/)
        expect(`${title} ${next}`).not.toMatch(/undefined|null|\d{3}|ServiceError|nonsense/)
      }
    }
  })

  it.each<[ServiceOperation, ServiceErrorCode, RegExp]>([
    ['create-endpoint', 'invalid', /not created.*events/],
    ['list-endpoints', 'unauthorized', /API key/],
    ['rotate-secret', 'not-found', /no longer exists.*list of endpoints/],
  ])('tell for %s what %s means there (§7)', (operation, code, expected) => {
    const { title, next } = words(operation, { code })
    expect(`${title} ${next}`).toMatch(expected)
  })

  it('say after a lost answer that it may have taken effect, and what to check', () => {
    const lost = words('create-endpoint', { code: 'timed-out', mayHaveTakenEffect: true })
    expect(lost.title).toBe('The endpoint may have been created all the same.')
    expect(lost.next).toContain('list of endpoints')
    const never = words('create-endpoint', { code: 'unreachable', mayHaveTakenEffect: false })
    expect(never.title).toBe('The endpoint was not created.')
  })

  it.each([
    [1, '1 second'],
    [90, '90 seconds'],
    [91, '2 minutes'],
    [7200, '2 hours'],
  ])('pass on a wait of %d seconds as %s', (retryAfterSeconds, expected) => {
    const { next } = words('create-user', { code: 'too-many', retryAfterSeconds })
    expect(next).toMatch(new RegExp(`The provider asks to wait ${expected}\\.$`))
  })

  it('mention no wait where the service asks for none', () => {
    for (const retryAfterSeconds of [0, null]) {
      expect(words('get-user', { code: 'too-many', retryAfterSeconds }).next).not.toContain('asks to wait')
    }
  })
})
