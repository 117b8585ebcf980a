import { cryptoToFiat, fiatToCrypto } from './bodies.ts'
import {
  buildTransaction,
  cryptoToFiatPaths,
  fiatToCryptoPaths,
  type PathStep,
  type Scenario,
} from './scenario.ts'

export const transactionScenarios: readonly Scenario[] = [
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
    'fiat-to-crypto-held-twice',
    'Held twice, then success',
    'Paused for KYC, later by the process, resumed each time, done.',
    fiatToCryptoPaths.heldTwice,
  ),
  toCrypto(
    'fiat-to-crypto-on-hold',
    'Held',
    'Paused by the process; nothing follows.',
    fiatToCryptoPaths.onHold,
  ),
  toCrypto(
    'fiat-to-crypto-held-refunded',
    'Held, then refunded',
    'Paused by the process, and the fiat goes back.',
    fiatToCryptoPaths.heldRefunded,
  ),
  toCrypto('fiat-to-crypto-failed', 'Failed', 'Fails while it is processed.', fiatToCryptoPaths.failed),
  toCrypto(
    'fiat-to-crypto-refunded',
    'Refunded',
    'Fails, and the fiat goes back.',
    fiatToCryptoPaths.refunded,
  ),
  toCrypto(
    'fiat-to-crypto-transfer-failed',
    'Transfer failed',
    'Fails after the stablecoin was sent to the network, and the fiat goes back.',
    fiatToCryptoPaths.transferFailed,
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
    'crypto-to-fiat-held-twice',
    'Held twice, then success',
    'Paused for KYC, later by the process, resumed each time, done.',
    cryptoToFiatPaths.heldTwice,
  ),
  toFiat(
    'crypto-to-fiat-on-hold',
    'Held',
    'Paused by the process; nothing follows.',
    cryptoToFiatPaths.onHold,
  ),
  toFiat(
    'crypto-to-fiat-held-refunded',
    'Held, then refunded',
    'Paused for KYC, and the stablecoin goes back.',
    cryptoToFiatPaths.heldRefunded,
  ),
  toFiat('crypto-to-fiat-failed', 'Failed', 'Fails while it is processed.', cryptoToFiatPaths.failed),
  toFiat(
    'crypto-to-fiat-transfer-failed',
    'Transfer failed',
    'Fails after the fiat transfer was initiated, and the stablecoin goes back.',
    cryptoToFiatPaths.transferFailed,
  ),
  toFiat(
    'crypto-to-fiat-limit-breached',
    'Limit breached',
    'Less stablecoin was sent than the minimum for its chain.',
    cryptoToFiatPaths.limitBreached,
  ),
  toFiat(
    'crypto-to-fiat-limit-refunded',
    'Limit breached, then refunded',
    'Less stablecoin was sent than the minimum for its chain, and it goes back.',
    cryptoToFiatPaths.limitRefunded,
  ),
  toFiat(
    'crypto-to-fiat-refunded',
    'Refunded',
    'Fails, and the stablecoin goes back.',
    cryptoToFiatPaths.refunded,
  ),
]

/** A successful transaction arrives with its deliveries out of order. */
export const troubleScenarios: readonly Scenario[] = [
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

function toCrypto(name: string, title: string, description: string, path: PathStep[]): Scenario {
  return {
    name,
    title,
    description,
    group: 'Fiat to stablecoin',
    assumed: false,
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
    assumed: false,
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
    assumed: false,
    sends: arrange(path).map((step) => step.subType),
    build(person, random) {
      const { transactionUuid, steps } = buildTransaction(fiatToCrypto(person, random), path)
      return { transactionUuid, steps: arrange(steps) }
    },
  }
}
