import type { Envelope } from '../service/event-types.ts'
import {
  cryptoToFiat,
  fiatAccount,
  fiatToCrypto,
  kyc,
  linkedAccount,
  linkedProfile,
  otpBounced,
  type Person,
} from './bodies.ts'
import { cryptoToFiatPaths, fiatToCryptoPaths, type PathStep } from './paths.ts'
import type { Random } from './random.ts'

/** One event of a scenario, `afterSeconds` after the one before it at real pace. */
export type Step = { afterSeconds: number; envelope: Envelope }

export type Scenario = {
  name: string
  title: string
  description: string
  group: 'Fiat to stablecoin' | 'Stablecoin to fiat' | 'Accounts and people' | 'Delivery trouble'
  /** The statuses it sends, in order. */
  sends: string[]
  build(person: Person, random: Random, startsAt: Date): Played
}

export type Played = { transactionUuid?: string; steps: Step[] }

/** Everything that can be played, each path of §6.1 and §6.2 among it. */
export const scenarios: readonly Scenario[] = [
  toCrypto(
    'fiat-to-crypto',
    'Success',
    'Paid in by bank, stablecoin sent, completed.',
    fiatToCryptoPaths.success,
  ),
  toCrypto(
    'fiat-to-crypto-held',
    'Held, then success',
    'Paused for KYC, resumed, done.',
    fiatToCryptoPaths.held,
  ),
  toCrypto(
    'fiat-to-crypto-on-hold',
    'Held',
    'Paused by the process; nothing follows.',
    fiatToCryptoPaths.onHold,
  ),
  toCrypto('fiat-to-crypto-failed', 'Failed', 'Fails while it is processed.', fiatToCryptoPaths.failed),
  toCrypto(
    'fiat-to-crypto-refunded',
    'Refunded',
    'Fails, and the fiat goes back.',
    fiatToCryptoPaths.refunded,
  ),
  toFiat(
    'crypto-to-fiat',
    'Success',
    'Stablecoin received, fiat sent, completed.',
    cryptoToFiatPaths.success,
  ),
  toFiat(
    'crypto-to-fiat-held',
    'Held, then success',
    'Paused for KYC, resumed, done.',
    cryptoToFiatPaths.held,
  ),
  toFiat(
    'crypto-to-fiat-on-hold',
    'Held',
    'Paused by the process; nothing follows.',
    cryptoToFiatPaths.onHold,
  ),
  toFiat('crypto-to-fiat-failed', 'Failed', 'Fails while it is processed.', cryptoToFiatPaths.failed),
  toFiat(
    'crypto-to-fiat-limit-breached',
    'Limit breached',
    'Less stablecoin was sent than the minimum for its chain.',
    cryptoToFiatPaths.limitBreached,
  ),
  toFiat(
    'crypto-to-fiat-refunded',
    'Refunded',
    'Fails, and the stablecoin goes back.',
    cryptoToFiatPaths.refunded,
  ),
  {
    name: 'kyc',
    title: 'KYC passed',
    description: 'Verification is pending, then the user is a full user.',
    group: 'Accounts and people',
    sends: ['KYC_PENDING', 'FULL_USER'],
    build: (person) => spaced([kyc(person, 'KYC_PENDING'), kyc(person, 'FULL_USER')]),
  },
  {
    name: 'link-bank-account',
    title: 'Bank account linked',
    description: 'The user finishes linking a bank account.',
    group: 'Accounts and people',
    sends: ['PENDING', 'CHECK_COMPLETED', 'ACTIVE'],
    build(person, random) {
      const account = linkedAccount(person, random)
      return spaced([account('PENDING'), account('CHECK_COMPLETED'), account('ACTIVE')])
    },
  },
  {
    name: 'link-bank-account-failed',
    title: 'Bank account not linked',
    description: 'The bank refuses the link, with an error.',
    group: 'Accounts and people',
    sends: ['PENDING', 'FAILED'],
    build(person, random) {
      const account = linkedAccount(person, random)
      return spaced([account('PENDING'), account('FAILED', 'The bank account could not be verified')])
    },
  },
  {
    name: 'linked-profile',
    title: 'Profile for linked accounts',
    description: 'The profile that linked bank accounts need is created.',
    group: 'Accounts and people',
    sends: ['WAITING_CREATION', 'ACTIVE'],
    build(person, random) {
      const profile = linkedProfile(person, random)
      return spaced([profile('WAITING_CREATION'), profile('ACTIVE')])
    },
  },
  {
    name: 'fiat-account',
    title: 'Fiat account opened',
    description: 'A stablecoin fiat account is created and becomes active.',
    group: 'Accounts and people',
    sends: ['WAITING_CREATION', 'ACTIVE'],
    build(person, random) {
      const account = fiatAccount(person, random)
      return spaced([account('WAITING_CREATION'), account('ACTIVE')])
    },
  },
  {
    name: 'mail-bounced',
    title: 'Code mail bounced',
    description: 'The mail with a one-time password could not be delivered.',
    group: 'Accounts and people',
    sends: ['EMAIL_DELIVERY_FAILED'],
    build: (person, _random, startsAt) => spaced([otpBounced(person, startsAt)]),
  },
  trouble(
    'duplicates',
    'Everything twice',
    'Each event of a successful transaction is sent two times.',
    (steps) => steps.flatMap((step) => [step, { ...step, afterSeconds: 1 }]),
  ),
  trouble(
    'out-of-order',
    'Out of order',
    'A successful transaction whose later events overtake the earlier.',
    (steps) => [1, 0, 3, 2].flatMap((index) => steps[index] ?? []),
  ),
]

export const findScenario = (name: string) => scenarios.find((scenario) => scenario.name === name)

/** The events of a path in its true order: what one says depends on those before it, not on when it is sent. */
export function buildTransaction(
  transaction: { transactionUuid: string; next(step: PathStep): Envelope },
  path: PathStep[],
): { transactionUuid: string; steps: Step[] } {
  const steps = path.map((step) => ({ afterSeconds: step.afterSeconds, envelope: transaction.next(step) }))
  return { transactionUuid: transaction.transactionUuid, steps }
}

function toCrypto(name: string, title: string, description: string, path: PathStep[]): Scenario {
  return {
    name,
    title,
    description,
    group: 'Fiat to stablecoin',
    sends: path.map((step) => step.subType),
    build: (person, random) => buildTransaction(fiatToCrypto(person, random), path),
  }
}

function toFiat(name: string, title: string, description: string, path: PathStep[]): Scenario {
  const belowLimit = path.some((step) => step.subType === 'LIMIT_BREACHED')
  return {
    name,
    title,
    description,
    group: 'Stablecoin to fiat',
    sends: path.map((step) => step.subType),
    build: (person, random) => buildTransaction(cryptoToFiat(person, random, { belowLimit }), path),
  }
}

function trouble(
  name: string,
  title: string,
  description: string,
  arrange: <Item extends object>(steps: Item[]) => Item[],
): Scenario {
  const path = fiatToCryptoPaths.success
  return {
    name,
    title,
    description,
    group: 'Delivery trouble',
    sends: arrange(path).map((step) => step.subType),
    build(person, random) {
      const { transactionUuid, steps } = buildTransaction(fiatToCrypto(person, random), path)
      return { transactionUuid, steps: arrange(steps) }
    },
  }
}

const spaced = (envelopes: Envelope[]): Played => ({
  steps: envelopes.map((envelope, index) => ({ afterSeconds: index === 0 ? 0 : 15, envelope })),
})
