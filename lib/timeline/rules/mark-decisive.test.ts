import { expect, it } from 'vitest'
import { foldSamples, type Sample, step } from '../../../test/sample-deliveries.ts'

const kyc = (status: string) => ({ type: 'KYC', subType: 'statusUpdate', uuid: 'u', data: { status } })
const aml = (status: string) => ({ type: 'AML', subType: 'statusUpdate', uuid: 'u', data: { status } })
const account = (status: string) => ({
  type: 'linkBankAccount',
  subType: 'statusUpdate',
  uuid: 'u',
  data: { uuid: 'a', status },
})
const hold = step('ON_HOLD', { status: 'ON_HOLD_KYC' })
const [pending, progress, success, refunded] = [
  step('PENDING'),
  step('IN_PROGRESS'),
  step('SUCCESS'),
  step('REFUNDED'),
]

/** The doubts about each event are in the timeline's order; an exclamation mark means that the status depends on it. */
function doubts(samples: readonly Sample[]): string[] {
  const { events } = foldSamples(samples)
  return events.map(({ envelope, flags, cameAgainAt }) => {
    const unsure = flags.filter((flag) => flag !== 'decisive')
    const again = cameAgainAt === null ? [] : ['came-again']
    const state = envelope.data?.get('status') ?? envelope.subType
    return `${state} ${[...unsure, ...again].join()}${flags.includes('decisive') ? '!' : ''}`.trim()
  })
}

it.each<{ name: string; samples: Sample[]; says: string[] }>([
  {
    name: 'two states of which the other would be the current',
    samples: [
      { at: 0, body: kyc('A') },
      { at: 15, body: kyc('B') },
    ],
    says: ['A', 'B order-unsure!'],
  },
  {
    name: 'not two states that another has followed since',
    samples: [
      { at: 0, body: kyc('A') },
      { at: 15, body: kyc('B') },
      { at: 30, body: kyc('C') },
      { at: 300, body: kyc('D') },
    ],
    says: ['A', 'B order-unsure', 'C order-unsure', 'D'],
  },
  {
    name: 'two states of one type, whatever other types have said since',
    samples: [
      { at: 0, body: kyc('A') },
      { at: 15, body: kyc('B') },
      { at: 300, body: aml('C') },
    ],
    says: ['A', 'B order-unsure!', 'C'],
  },
  {
    name: 'not a step that is late behind a higher one',
    samples: [
      { at: 0, body: pending },
      { at: 100, body: success },
      { at: 200, body: progress },
    ],
    says: ['PENDING', 'IN_PROGRESS late', 'SUCCESS'],
  },
  {
    name: 'not an outcome that is late behind its refund',
    samples: [
      { at: 0, body: refunded },
      { at: 100, body: step('FAILED') },
    ],
    says: ['FAILED late', 'REFUNDED'],
  },
  {
    name: 'a hold that is told after an outcome',
    samples: [
      { at: 0, body: pending },
      { at: 100, body: success },
      { at: 200, body: hold },
    ],
    says: ['PENDING', 'ON_HOLD_KYC late!', 'SUCCESS'],
  },
  {
    name: 'a creation that may have been the end of the hold which stands',
    samples: [
      { at: 0, body: hold },
      { at: 100, body: pending },
    ],
    says: ['PENDING late!', 'ON_HOLD_KYC'],
  },
  {
    name: 'not that creation once the transaction has gone on',
    samples: [
      { at: 0, body: hold },
      { at: 100, body: pending },
      { at: 2000, body: success },
    ],
    says: ['PENDING late', 'ON_HOLD_KYC', 'SUCCESS'],
  },
  {
    name: 'a failed creation that was perhaps created once more',
    samples: [
      { at: 0, body: account('FAILED_CREATION') },
      { at: 20, body: account('WAITING_CREATION') },
    ],
    says: ['WAITING_CREATION late!', 'FAILED_CREATION'],
  },
  {
    name: 'not an account that is told a lower state late',
    samples: [
      { at: 0, body: account('PENDING') },
      { at: 100, body: account('ACTIVE') },
      { at: 2000, body: account('CHECK_COMPLETED') },
    ],
    says: ['PENDING', 'CHECK_COMPLETED late', 'ACTIVE'],
  },
  {
    name: 'a state that came back, or was sent once more',
    samples: [
      { at: 0, body: kyc('A') },
      { at: 50, body: kyc('B') },
      { at: 66, body: kyc('A'), otherReceivers: 1 },
    ],
    says: ['A came-again!', 'B order-unsure,repeat-unsure!'],
  },
  {
    name: 'not that state once something else has followed',
    samples: [
      { at: 0, body: kyc('A') },
      { at: 50, body: kyc('B') },
      { at: 66, body: kyc('A'), otherReceivers: 1 },
      { at: 900, body: kyc('C') },
    ],
    says: ['A came-again', 'B order-unsure,repeat-unsure', 'C'],
  },
  {
    name: 'a state that one endpoint alone tells again',
    samples: [
      { at: 0, body: kyc('A'), otherReceivers: 0 },
      { at: 50, body: kyc('B'), otherReceivers: 0 },
      { at: 66, body: kyc('A'), otherReceivers: 0 },
    ],
    says: ['A', 'B', 'A repeat-unsure,came-again!'],
  },
])('$name', ({ samples, says }) => {
  expect(doubts(samples)).toEqual(says)
})
