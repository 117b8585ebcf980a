import { expect, it } from 'vitest'
import { type EventFlag, latestWords } from './subject-event.ts'

const event = (id: string, type: string, flags: EventFlag[] = [], subjectId = 'entity:u') => ({
  id,
  subjectId,
  type,
  flags,
})

it('names what each type said last, of those that said more than one thing', () => {
  const newestFirst = [event('e', 'KYC'), event('d', 'AML'), event('c', 'KYC'), event('b', 'walletCreated')]
  expect([...latestWords(newestFirst)]).toEqual(['e'])
})

it('tells subjects of one type apart, and leaves out what is late and the steps of transactions', () => {
  const newestFirst = [
    event('f', 'KYC', ['late']),
    event('e', 'fiatToCrypto', [], 'transaction:t'),
    event('d', 'fiatToCrypto', [], 'transaction:t'),
    event('c', 'KYC', [], 'entity:v'),
    event('b', 'KYC'),
    event('a', 'KYC'),
  ]
  expect([...latestWords(newestFirst)]).toEqual(['b'])
})
