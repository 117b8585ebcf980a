import type { QueryClient } from '../database/pool.ts'
import type { Account } from '../service/accounts.ts'
import type { Envelope } from '../state/event-types.ts'
import { createRandom, type SeededRandom } from '../state/ids.ts'
import type { EventPerson } from './bodies.ts'
import { createIban } from './iban.ts'
import { type Scenario, spaced, statusScenarios } from './scenario.ts'

/** The body is that of §6.3. ASSUMED: until the account exists its numbers are absent. */
function fiatAccount(person: EventPerson, random: SeededRandom) {
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

/** §6.4 defines this. */
function linkedProfile(person: EventPerson, random: SeededRandom) {
  const uuid = random.uuid()
  return (status: string): Envelope =>
    statusUpdate('linkedBankAccountProfile', person.uuid, { uuid, status, ...errorOf(status) })
}

/** §6.5 defines this. */
function linkedAccount(owner: Pick<EventPerson, 'uuid'>, random: SeededRandom) {
  const uuid = random.uuid()
  return (status: string): Envelope =>
    statusUpdate('linkBankAccount', owner.uuid, { uuid, status, ...errorOf(status) })
}

/** A corporate's notification has the company's uuid (§6.5). */
const companyLinkedAccount = (person: EventPerson, random: SeededRandom) =>
  linkedAccount({ uuid: companyOf(person) }, random)

/** Scenarios about a person's company always use the same uuid. */
export const companyOf = ({ uuid }: Pick<EventPerson, 'uuid'>) =>
  createRandom(Number.parseInt(uuid.slice(0, 8), 16)).uuid()

/**
 * The event is that of §6.6. `reply` is the mail server's refusal of the address. ASSUMED: the failureType of a refusal for
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

/** The event reports a changed status. `uuid` is the user's or the company's (§2.4). */
export const statusUpdate = (
  type: Envelope['type'],
  uuid: string,
  data: Record<string, unknown>,
): Envelope => ({ type, subType: 'statusUpdate', uuid, data })

/** An error comes with a failure only (§6.5). ASSUMED: the same holds in §6.3 and §6.4. */
function errorOf(status: string) {
  const error = errors.get(status)
  return error && { error }
}

const errors = new Map([
  ['FAILED_CREATION', 'The bank did not open the account'],
  ['FAILED', 'The bank account could not be verified'],
])

const bankAccount = statusScenarios({ group: 'Bank accounts', assumed: false })

/** The scenarios cover bank accounts (§6.3 to §6.5) and the mail with a code (§6.6). */
export const accountScenarios: readonly Scenario[] = [
  bankAccount(
    'link-bank-account',
    'Bank account linked',
    'The user finishes linking a bank account.',
    linkedAccount,
    ['PENDING', 'CHECK_COMPLETED', 'ACTIVE'],
  ),
  bankAccount(
    'link-bank-account-failed',
    'Bank account not linked',
    'The bank refuses the link, with an error.',
    linkedAccount,
    ['PENDING', 'FAILED'],
  ),
  bankAccount(
    'link-bank-account-disabled',
    'Linked bank account disabled',
    'A linked bank account is in use, then no longer.',
    linkedAccount,
    ['ACTIVE', 'DISABLED'],
  ),
  bankAccount(
    'link-bank-account-company',
    'Company’s bank account linked',
    'The same for a company: its events carry the company’s uuid.',
    companyLinkedAccount,
    ['PENDING', 'CHECK_COMPLETED', 'ACTIVE'],
  ),
  bankAccount(
    'linked-profile',
    'Profile for linked accounts',
    'The profile that linked bank accounts need is created.',
    linkedProfile,
    ['WAITING_CREATION', 'ACTIVE'],
  ),
  bankAccount(
    'linked-profile-failed',
    'Profile not created',
    'The profile cannot be created, with an error.',
    linkedProfile,
    ['WAITING_CREATION', 'FAILED_CREATION'],
  ),
  bankAccount(
    'linked-profile-disabled',
    'Profile disabled',
    'The profile is in use, then no longer.',
    linkedProfile,
    ['ACTIVE', 'DISABLED'],
  ),
  bankAccount(
    'fiat-account',
    'Fiat account opened',
    'A stablecoin fiat account is created and becomes active.',
    fiatAccount,
    ['WAITING_CREATION', 'ACTIVE'],
  ),
  bankAccount(
    'fiat-account-failed',
    'Fiat account not opened',
    'A stablecoin fiat account cannot be created, with an error.',
    fiatAccount,
    ['WAITING_CREATION', 'FAILED_CREATION'],
  ),
  bankAccount(
    'fiat-account-disabled',
    'Fiat account disabled',
    'A stablecoin fiat account is in use, then no longer.',
    fiatAccount,
    ['ACTIVE', 'DISABLED'],
  ),
  {
    name: 'mail-bounced',
    title: 'Code mail bounced',
    description: 'The mail with a one-time password could not be delivered.',
    group: 'People and companies',
    assumed: false,
    sends: ['EMAIL_DELIVERY_FAILED'],
    build: (person, _random, startsAt) => spaced([otpBounced(person, startsAt)]),
  },
]

/** ASSUMED: a user is linked to a company as soon as something happened to it. */
export async function listCompanies(database: QueryClient, account: Account): Promise<string[]> {
  const { rows } = await database.query(
    'SELECT FROM play WHERE user_uuid = $1 AND scenario = ANY($2) LIMIT 1',
    [account.uuid, aboutCompanies],
  )
  return rows.length > 0 ? [companyOf(account)] : []
}

const aboutCompanies = ['kyb', 'kyb-failed', 'entity-suspended', 'link-bank-account-company']
