import {
  aml,
  duplicateUser,
  entityStatus,
  kyb,
  kyc,
  senderNameMismatch,
  walletCreated,
} from './assumed-bodies.ts'
import { fiatToCrypto } from './bodies.ts'
import { fiatToCryptoPaths } from './paths.ts'
import { buildTransaction, type Scenario, statusScenarios } from './scenario.ts'

const kind = { group: 'People and companies', assumed: true } as const
const about = statusScenarios(kind)

/** The types of §6.7. ASSUMED: their bodies, and which status follows which. */
export const assumedScenarios: readonly Scenario[] = [
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
