import {
  type CryptoToFiatStep,
  cryptoToFiatSteps,
  type Direction,
  type FiatToCryptoStep,
  fiatToCryptoSteps,
  isStep,
  type Step,
} from '#lib/deliveries/rules/steps.ts'
import type { Decimal } from '#lib/platform/rules/decimal.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'
import type { HeadlineFacts } from '#lib/timeline/labels/headline.ts'
import { chainLabel } from '#lib/transactions/labels/step-labels.ts'
import { isRefundDoubted, type Refund, refundOf } from '#lib/transactions/rules/refund.ts'
import type { en } from '../messages/en.ts'
import { formatSpan } from './duration.ts'
import { formatMoney } from './money.ts'
import type { Words } from './translate.ts'

// These labels tell customers no more than §6.1 and §6.2 say, and nothing about checks that are secret from them.

/** `CustomerWords` reads the catalogue for customers in one language. */
export type CustomerWords = Words<typeof en>

/** A customer reads a step or an account's status in these words. */
export interface CustomerLabel {
  readonly label: string
  readonly meaning: string
  readonly tone: Tone
}

const tones = {
  PENDING: 'wait',
  IN_PROGRESS: 'move',
  CRYPTO_TRANSFER_ISSUED: 'move',
  FIAT_TRANSFER_ISSUED: 'move',
  SUCCESS: 'done',
  ON_HOLD: 'held',
  FAILED: 'fail',
  LIMIT_BREACHED: 'fail',
  REFUNDED: 'back',
} as const satisfies Record<Step, Tone>

/** These facts change how a step is worded. */
interface BesideStep {
  /** Another event contradicts the outcome, so the customer reads neither of the two. */
  readonly conflict?: boolean
  /** The transaction is late, see `isStuck`. */
  readonly stuck?: boolean
  /** The transaction names this refund, see `refundOf`. */
  readonly refund?: Refund | null
}

/** The key leads to the sentences of a step. It is `steps.unnamed` for a step without words. */
function keyOf(direction: Direction | null, step: string | null, conflict: boolean) {
  if (conflict) return 'steps.unsettled' as const
  if (isBuying(step) && (direction !== 'cryptoToFiat' || !isSelling(step)))
    return `steps.fiatToCrypto.${step}` as const
  return isSelling(step) ? (`steps.cryptoToFiat.${step}` as const) : ('steps.unnamed' as const)
}

const isBuying = (step: string | null): step is FiatToCryptoStep =>
  fiatToCryptoSteps.some((one) => one === step)
const isSelling = (step: string | null): step is CryptoToFiatStep =>
  cryptoToFiatSteps.some((one) => one === step)

/**
 * `customerStep` words a step for its customer. A hold for verification says so, since customers know of their verification. All
 * other holds share one sentence: a second sentence would reveal holds that must stay secret.
 */
export function customerStep(
  words: CustomerWords,
  direction: Direction | null,
  step: string | null,
  reason: string | null = null,
  { conflict = false, stuck = false, refund = null }: BesideStep = {},
): CustomerLabel {
  const key = keyOf(direction, step, conflict)
  const isInPart = refund?.kind === 'part' && direction !== null && !conflict
  const meaning =
    step === 'ON_HOLD' && reason === 'ON_HOLD_KYC'
      ? words('steps.verificationHold')
      : words(isInPart ? `steps.refundedInPart.${direction}` : `${key}.meaning`)
  const label = words(`${key}.label`)
  if (conflict) return { label, meaning, tone: 'wait' }
  if (stuck) return { label, meaning: `${meaning} ${words('steps.late.meaning')}`, tone: 'wait' }
  return { label, meaning, tone: isStep(step) ? tones[step] : 'move' }
}

/** The headline says in one sentence what happened to a customer's transaction. */
export function customerHeadline(words: CustomerWords, transaction: HeadlineFacts): string {
  const { direction, step, durationSeconds, stuck } = transaction
  const conflict = isUnsettled(transaction)
  if (direction === null)
    return `${words('amounts.transaction')}: ${customerStep(words, null, step, null, { conflict }).label}`
  const { given, got, whole } = exchanged(words, transaction)
  if (step !== 'SUCCESS' || !whole || conflict)
    return capital(
      words(`${stuck && !conflict ? 'steps.late' : keyOf(direction, step, conflict)}.headline`, {
        given: given.plain,
        got: got.plain,
      }),
    )
  const onChain = { given: given.onChain, got: got.onChain }
  return durationSeconds === null
    ? words('steps.became', onChain)
    : words('steps.becameIn', { ...onChain, duration: formatSpan(durationSeconds, words.language) })
}

const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1)

/** Each side is an amount, or else the currency, or else the kind of money. `whole` is true when both amounts are known. */
export function exchanged(words: CustomerWords, transaction: HeadlineFacts) {
  const { direction, amountFiat, amountCrypto, currencyFiat, currencyCrypto, chain } = transaction
  const fiat =
    amountFiat === null ? (currencyFiat ?? words('amounts.fiat')) : money(words, amountFiat, currencyFiat)
  const coins =
    amountCrypto === null
      ? (currencyCrypto?.toUpperCase() ?? words('amounts.stablecoin'))
      : money(words, amountCrypto, currencyCrypto)
  const fiatSide = { plain: fiat, onChain: fiat }
  const coinSide = {
    plain: coins,
    onChain: chain === null ? coins : words('amounts.coins', { amount: coins, chain: chainLabel(chain) }),
  }
  const [given, got] = direction === 'cryptoToFiat' ? [coinSide, fiatSide] : [fiatSide, coinSide]
  return { given, got, whole: amountFiat !== null && amountCrypto !== null }
}

const money = (words: CustomerWords, amount: Decimal, currency: string | null) =>
  formatMoney(amount, currency, words.language)

/**
 * `isUnsettled` is true when events contradict each other, or when nobody knows what was refunded. Customers then read no
 * outcome.
 */
export const isUnsettled = (transaction: HeadlineFacts): boolean =>
  transaction.flags.includes('conflict') ||
  isRefundDoubted(transaction.step, refundOf(transaction), transaction.flags)

/**
 * A refund is shown beside the step: "Refunded: €97.50 of €100". It is null when no event names one, or when its amount
 * cannot be true.
 */
export function customerRefund(
  words: CustomerWords,
  transaction: HeadlineFacts,
): { readonly name: string; readonly refund: Refund } | null {
  const refund = refundOf(transaction)
  if (refund === null || refund.doubt !== null || isUnsettled(transaction)) return null
  return { name: words(refund.kind === 'reported' ? 'amounts.refundReported' : 'amounts.refunded'), refund }
}

/** The text says how much of which amount was refunded. */
export const statedRefund = (words: CustomerWords, { amount, currency, of }: Refund): string =>
  of === null
    ? statedMoney(words, amount, currency)
    : words('amounts.part', { part: statedMoney(words, amount, currency), whole: money(words, of, currency) })

/** The text shows an amount alone. It says so when no currency is known, as for fees. */
export const statedMoney = (words: CustomerWords, amount: Decimal, currency: string | null): string =>
  currency === null
    ? words('amounts.noCurrency', { amount: money(words, amount, null) })
    : money(words, amount, currency)

/**
 * `customerAccount` words the status of an account to pay into, §6.3. An unknown status asks the customer to contact
 * support.
 */
export function customerAccount(words: CustomerWords, status: string | null): CustomerLabel {
  const known = isAccountState(status) ? status : 'unnamed'
  return {
    label: words(`accountStates.${known}.label`),
    meaning: words(`accountStates.${known}.meaning`),
    tone: accountTones[known],
  }
}

const accountTones = {
  ACTIVE: 'done',
  WAITING_CREATION: 'wait',
  FAILED_CREATION: 'fail',
  DISABLED: 'back',
  unnamed: 'wait',
} as const satisfies Record<keyof (typeof en)['accountStates'], Tone>

const isAccountState = (status: string | null): status is keyof typeof accountTones =>
  status !== null && status !== 'unnamed' && Object.hasOwn(accountTones, status)
