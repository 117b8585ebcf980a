import type { Envelope } from '../state/event-types.ts'
import { createRandom, type Ids, type SeededRandom } from '../state/ids.ts'
import { accountScenarios, companyOf, statusUpdate } from './account-scenarios.ts'
import { address, type EventPerson, fiatToCrypto, fullName } from './bodies.ts'
import { buildTransaction, fiatToCryptoPaths, type Scenario, statusScenarios } from './scenario.ts'
import { transactionScenarios, troubleScenarios } from './transaction-scenarios.ts'

/*
 * The contract does not show subTypes and data of the types of §6.7. ASSUMED: all of them. A changed status has the subType
 * statusUpdate, as in §6.3 to §6.5, and data.status; an event that happens once has its own name, as in §6.6.
 */

/** ASSUMED: data.status is a user status, in the values of public documentation. */
const kyc = (person: EventPerson) => (status: string) => statusUpdate('KYC', person.uuid, { status })

/** ASSUMED: data.status is the state of the company's verification. */
const kyb = (person: EventPerson) => (status: string) => statusUpdate('KYB', companyOf(person), { status })

/** ASSUMED: data.status is the state of a check against money laundering, of the user as a whole. */
const aml = (person: EventPerson) => (status: string) => statusUpdate('AML', person.uuid, { status })

/** ASSUMED: an entity is a company, and data.status says whether it may do business. */
const entityStatus = (person: EventPerson) => (status: string) =>
  statusUpdate('entityStatusUpdate', companyOf(person), { status })

/** ASSUMED: the address, named as in §6.1, and its chain. */
const walletCreated = (person: EventPerson, random: SeededRandom) => (subType: string) =>
  once('walletCreated', subType, person, {
    walletAddress: person.target_address ?? address(random),
    chain: random.pick(['polygon', 'base', 'ethereum']),
  })

/** ASSUMED: the user who was there before. */
const duplicateUser = (person: EventPerson, random: SeededRandom) => (subType: string) =>
  once('duplicateUser', subType, person, { duplicateOf: random.uuid() })

/** ASSUMED: which transaction, whose name was expected, and whose name came with the money. */
const senderNameMismatch = (
  person: EventPerson,
  payment: { transactionUuid: string; senderName: string },
): Envelope =>
  once('senderNameMismatch', 'SENDER_NAME_MISMATCH', person, { ...payment, expectedName: fullName(person) })

const once = (
  type: Envelope['type'],
  subType: string,
  person: EventPerson,
  data: Record<string, unknown>,
): Envelope => ({ type, subType, uuid: person.uuid, data })

const kind = { group: 'People and companies', assumed: true } as const
const about = statusScenarios(kind)

/** The scenarios send the types of §6.7. ASSUMED: their bodies, and which status follows which. */
const assumedScenarios: readonly Scenario[] = [
  about('kyc', 'KYC passed', 'Verification is pending, then the user is a full user.', kyc, [
    'KYC_PENDING',
    'FULL_USER',
  ]),
  about('kyc-from-the-start', 'KYC from the start', 'Every step up to a full user.', kyc, [
    'PHONE_VERIFICATION_NEEDED',
    'KYC_NEEDED',
    'PENDING_KYC_DATA',
    'KYC_PENDING',
    'FULL_USER',
  ]),
  about('kyc-retried', 'KYC failed, then passed', 'Verification fails softly, is repeated and passes.', kyc, [
    'KYC_PENDING',
    'SOFT_KYC_FAILED',
    'KYC_PENDING',
    'FULL_USER',
  ]),
  about('kyc-failed', 'KYC failed', 'Verification fails for good.', kyc, ['KYC_PENDING', 'HARD_KYC_FAILED']),
  about('user-suspended', 'User suspended', 'A user who was verified is suspended.', kyc, [
    'FULL_USER',
    'SUSPENDED',
  ]),
  about('kyb', 'KYB passed', 'The verification of a company is pending, then passed.', kyb, [
    'KYB_PENDING',
    'KYB_PASSED',
  ]),
  about('kyb-failed', 'KYB failed', 'The verification of a company fails.', kyb, [
    'KYB_PENDING',
    'KYB_FAILED',
  ]),
  about('entity-suspended', 'Company suspended', 'A company is active, then suspended.', entityStatus, [
    'ACTIVE',
    'SUSPENDED',
  ]),
  about('aml', 'AML check passed', 'A check against money laundering finds nothing.', aml, [
    'IN_REVIEW',
    'PASSED',
  ]),
  about('aml-failed', 'AML check failed', 'A check against money laundering finds something.', aml, [
    'IN_REVIEW',
    'FAILED',
  ]),
  about('wallet-created', 'Wallet created', 'The user has a wallet on a chain.', walletCreated, [
    'WALLET_CREATED',
  ]),
  about('duplicate-user', 'Duplicate user', 'The user seems to be one who was there before.', duplicateUser, [
    'DUPLICATE_USER',
  ]),
  {
    ...kind,
    name: 'sender-name-mismatch',
    title: 'Sender’s name does not match',
    description: 'Another name came with the fiat than the user’s: held, and it goes back.',
    sends: ['PENDING', 'IN_PROGRESS', 'SENDER_NAME_MISMATCH', 'ON_HOLD', 'REFUNDED'],
    build(person, random) {
      const senderName = `Another ${person.last_name}`
      const payment = fiatToCrypto(person, random, { senderName })
      const { transactionUuid, steps } = buildTransaction(payment, fiatToCryptoPaths.heldRefunded)
      const envelope = senderNameMismatch(person, { transactionUuid, senderName })
      return { transactionUuid, steps: steps.toSpliced(2, 0, { afterSeconds: 2, envelope }) }
    },
  },
]

/** The scenarios cover every event type of §2.3 and every status of §3.2 and §3.3. */
export const scenarios: readonly Scenario[] = [
  ...transactionScenarios,
  ...accountScenarios,
  ...assumedScenarios,
  ...troubleScenarios,
]

export const findScenario = (name: string) => scenarios.find((scenario) => scenario.name === name)

/** The sample is the type's first event in the first scenario that has one, about this person or a made-up one. */
export function sampleEvent(
  ids: Ids,
  type: Envelope['type'],
  person: EventPerson | undefined,
  now: Date,
): Envelope {
  const about = person ?? { ...madeUp, uuid: ids.uuid('sample') }
  const random = createRandom(ids.whole('sample', 2 ** 32))
  for (const scenario of scenarios) {
    const step = scenario.build(about, random, now).steps.find(({ envelope }) => envelope.type === type)
    if (step) return step.envelope
  }
  throw new Error(`No scenario sends ${type}`)
}

const madeUp = {
  email: 'someone@demo.test',
  first_name: 'Test',
  last_name: 'User',
  country: 'ES',
  target_address: null,
}
