import type { Envelope } from '../state/event-types.ts'
import { createRandom, type SeededRandom } from '../state/random.ts'
import type { EventPerson } from './bodies.ts'
import { createIban } from './iban.ts'

/** §6.3. ASSUMED: until the account exists its numbers are absent. */
export function fiatAccount(person: EventPerson, random: SeededRandom) {
  const iban = createIban('GB', random)
  const early = { uuid: random.uuid(), currency: 'GBP', bank_country: 'GB' }
  const numbers = {
    iban,
    bic: 'TESTGB00',
    account_number: iban.slice(-8),
    sort_code: iban.slice(8, 14),
    swift_code: 'TESTGB00',
    bank_code: 'TEST',
    bank_name: 'Test Bank',
  }
  return (status: string): Envelope => {
    const exists = status === 'ACTIVE' || status === 'DISABLED'
    const data = { ...early, ...(exists && numbers), status, ...errorOf(status) }
    return statusUpdate('unblockBankAccount', person.uuid, data)
  }
}

/** §6.4 */
export function linkedProfile(person: EventPerson, random: SeededRandom) {
  const uuid = random.uuid()
  return (status: string): Envelope =>
    statusUpdate('linkedBankAccountProfile', person.uuid, { uuid, status, ...errorOf(status) })
}

/** §6.5 */
export function linkedAccount(owner: Pick<EventPerson, 'uuid'>, random: SeededRandom) {
  const uuid = random.uuid()
  return (status: string): Envelope =>
    statusUpdate('linkBankAccount', owner.uuid, { uuid, status, ...errorOf(status) })
}

/** §6.5: for a corporate, the notification's uuid is the company's. */
export const companyLinkedAccount = (person: EventPerson, random: SeededRandom) =>
  linkedAccount({ uuid: companyOf(person) }, random)

/** The uuid of the company that scenarios are about when they are played for this person: always the same one. */
export const companyOf = ({ uuid }: Pick<EventPerson, 'uuid'>) =>
  createRandom(Number.parseInt(uuid.slice(0, 8), 16)).uuid()

/**
 * §6.6. `reply` is what the mail server said when it refused the address. ASSUMED: the failureType of a refusal for
 * good, and a diagnosticCode in the form of RFC 3464.
 */
export const otpBounced = (
  person: Pick<EventPerson, 'uuid' | 'email'>,
  at: Date,
  reply = '550 5.1.1 the e-mail account does not exist',
): Envelope => ({
  type: 'otpNotification',
  subType: 'EMAIL_DELIVERY_FAILED',
  uuid: person.uuid,
  data: {
    failureType: 'Permanent',
    emailAddress: person.email,
    diagnosticCode: `smtp; ${reply}`,
    timestamp: at.toISOString(),
  },
})

/** What a status changed to. `uuid` is the user's or the company's (§2.4). */
export const statusUpdate = (
  type: Envelope['type'],
  uuid: string,
  data: Record<string, unknown>,
): Envelope => ({ type, subType: 'statusUpdate', uuid, data })

/** §6.5: an error comes with a failure only. ASSUMED: so it does in §6.3 and §6.4. */
function errorOf(status: string) {
  const error = errors.get(status)
  return error && { error }
}

const errors = new Map([
  ['FAILED_CREATION', 'The bank did not open the account'],
  ['FAILED', 'The bank account could not be verified'],
])
