import {
  companyLinkedAccount,
  fiatAccount,
  linkedAccount,
  linkedProfile,
  otpBounced,
} from './account-bodies.ts'
import { type Scenario, spaced, statusScenarios } from './scenario.ts'

const bankAccount = statusScenarios({ group: 'Bank accounts', assumed: false })

/** What happens to bank accounts (§6.3 to §6.5) and to the mail with a code (§6.6). */
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
