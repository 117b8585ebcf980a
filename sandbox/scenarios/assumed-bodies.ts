import type { Envelope } from '../state/event-types.ts'
import type { SeededRandom } from '../state/random.ts'
import { companyOf, statusUpdate } from './account-bodies.ts'
import { address, type EventPerson, fullName } from './bodies.ts'

/*
 * The types of §6.7, whose subTypes and data the contract does not show. ASSUMED: all of them. A status that changed
 * has the subType statusUpdate, as in §6.3 to §6.5, and data.status; an event that happens once has a name of its own,
 * as in §6.6.
 */

/** ASSUMED: data.status is a user status, in the values of public documentation. */
export const kyc = (person: EventPerson) => (status: string) => statusUpdate('KYC', person.uuid, { status })

/** ASSUMED: data.status is the state of the company's verification. */
export const kyb = (person: EventPerson) => (status: string) =>
  statusUpdate('KYB', companyOf(person), { status })

/** ASSUMED: data.status is the state of a check against money laundering, of the user as a whole. */
export const aml = (person: EventPerson) => (status: string) => statusUpdate('AML', person.uuid, { status })

/** ASSUMED: an entity is a company, and data.status says whether it may do business. */
export const entityStatus = (person: EventPerson) => (status: string) =>
  statusUpdate('entityStatusUpdate', companyOf(person), { status })

/** ASSUMED: the address, named as in §6.1, and its chain. */
export const walletCreated = (person: EventPerson, random: SeededRandom) => (subType: string) =>
  once('walletCreated', subType, person, {
    walletAddress: person.target_address ?? address(random),
    chain: random.pick(['polygon', 'base', 'ethereum']),
  })

/** ASSUMED: the user who was there before. */
export const duplicateUser = (person: EventPerson, random: SeededRandom) => (subType: string) =>
  once('duplicateUser', subType, person, { duplicateOf: random.uuid() })

/** ASSUMED: which transaction, whose name was expected, and whose name came with the money. */
export const senderNameMismatch = (
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
