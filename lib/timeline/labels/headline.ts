import { type Direction, isStep, type Step, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { chainLabel, reasonLabel } from '#lib/transactions/labels/step-labels.ts'
import {
  type Circumstances,
  type Hold,
  holdOfReason,
  type Passage,
  type VerificationTurn,
} from '#lib/transactions/rules/circumstances.ts'
import { limitCurrency, paymentPhase } from '#lib/transactions/rules/money.ts'
import { mayHideRefund, type Refund, refundOf } from '#lib/transactions/rules/refund.ts'
import type { ProjectedTransaction } from '#lib/transactions/rules/transaction.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'
import { inSentence } from '#lib/words/labels/formats.ts'
import { formatMoney } from '#lib/words/labels/money.ts'

/** A headline uses these facts. */
export type HeadlineFacts = Pick<
  ProjectedTransaction,
  | 'direction'
  | 'step'
  | 'reason'
  | 'limit'
  | 'amountFiat'
  | 'amountCrypto'
  | 'amountRefunded'
  | 'currencyFiat'
  | 'currencyCrypto'
  | 'chain'
  | 'durationSeconds'
> & {
  readonly flags: readonly string[]
  /** The transaction is late, see `isStuck`. */
  readonly stuck: boolean
  /** The transaction is held for KYC, and the verification is at this turn. Most lists do not know it. */
  readonly turn?: VerificationTurn | null
}

/** A headline is one sentence that may contain an age that grows: `before`, the age since then, `after`. */
export interface Headline {
  readonly before: string
  /** ISO 8601; null when the sentence has no age, and `before` is all of it. */
  readonly since: string | null
  readonly after: string
}

/**
 * The headline tells staff what happened to a transaction: the cause, its time, and who must act. It says no
 * more than §6.1, §6.2 and its own events do.
 */
export function headline(
  transaction: HeadlineFacts,
  circumstances: Circumstances = unexplained,
  locale = 'en',
): Headline {
  const { before, since, after } = tell(transaction, circumstances, locale)
  const more = alsoOf(transaction, locale)
  return since === null ? plain(`${before}${more}`) : { before, since, after: `${after}${more}` }
}

/** A reported refund and an unreadable amount are named at every step; some steps name them in their own sentence. */
function alsoOf(transaction: HeadlineFacts, locale: string): string {
  const refund = refundOf(transaction)
  const names = !transaction.flags.includes('conflict') && namesRefund.has(transaction.step)
  const reported = refund === null || names ? '' : `; ${reportedWords(refund, locale)}`
  const isSaid = names && mayHideRefund(refund, transaction.flags)
  const isUnreadable = transaction.flags.includes('amount-not-readable') && !isSaid
  return `${reported}${isUnreadable ? '; an amount is not readable: see its events' : ''}`
}

const namesRefund: ReadonlySet<string | null> = new Set(['FAILED', 'LIMIT_BREACHED', 'REFUNDED'])

function tell(transaction: HeadlineFacts, circumstances: Circumstances, locale: string): Headline {
  const { direction, step, reason, stuck } = transaction
  const what = exchangeOf(transaction, locale)
  if (direction === null || !isStep(step) || !stepsOf[direction].some((one) => one === step))
    return plain(`${what}: ${step ?? reason ?? 'no status given'}`)
  if (transaction.flags.includes('conflict'))
    return plain(`${what}: ${outcomes[step] ?? step}, but another event says otherwise: ask the provider`)
  const { since } = circumstances
  const after = ledTo(circumstances.led, transaction, locale)
  switch (step) {
    case 'PENDING':
      return ago('Created', since, `, awaiting processing${stuck ? stuckWords : ''}`)
    case 'IN_PROGRESS':
      return lasting(`${receivedWords[direction]}, processing`, since, stuck ? stuckWords : '')
    case 'CRYPTO_TRANSFER_ISSUED':
      return ago('Stablecoin sent to the network', since, stuck ? stuckWords : '')
    case 'FIAT_TRANSFER_ISSUED':
      return ago('Fiat transfer initiated', since, stuck ? stuckWords : '')
    case 'SUCCESS':
      return plain(successOf(transaction, locale) ?? `${what}: completed`)
    case 'ON_HOLD':
      return heldHeadline(circumstances.hold ?? holdOfReason(reason), since, transaction.turn)
    case 'FAILED':
      return ago(after('failed'), since, `${finerOf(step, reason)}${refundReported(transaction, locale)}`)
    case 'LIMIT_BREACHED':
      return ago(
        after(sentOf(transaction, locale)),
        since,
        `${belowOf(transaction, locale)}${refundReported(transaction, locale)}`,
      )
    case 'REFUNDED':
      return refundedHeadline(transaction, after, since, locale)
  }
}

/** The headline in a list has the amounts and no age, because the line shows neither amounts nor events. */
export function headlineLine(transaction: HeadlineFacts, locale = 'en'): string {
  const { before } = headline(transaction, unexplained, locale)
  const what = exchangeOf(transaction, locale)
  const named =
    before.startsWith(what) || transaction.step === 'SUCCESS' || transaction.step === 'LIMIT_BREACHED'
  return named ? before : `${what}, ${inSentence(before)}`
}

const unexplained: Circumstances = { since: null, hold: null, led: [] }
const stuckWords = ': stuck, ask the provider'
const outcomes: Readonly<Partial<Record<Step, string>>> = {
  SUCCESS: 'completed',
  FAILED: 'failed',
  LIMIT_BREACHED: 'below the minimum',
}

const receivedWords = {
  fiatToCrypto: 'Fiat received',
  cryptoToFiat: 'Stablecoin received',
} as const satisfies Record<Direction, string>

const plain = (sentence: string): Headline => ({ before: sentence, since: null, after: '' })

/** The headline reads like "Failed 3 h ago: …". */
const ago = (words: string, since: string | null, rest: string): Headline =>
  since === null ? plain(`${words}${rest}`) : { before: `${words} `, since, after: ` ago${rest}` }

/** The headline reads like "Held for KYC for 17 h: …". */
const lasting = (words: string, since: string | null, rest: string): Headline =>
  since === null ? plain(`${words}${rest}`) : { before: `${words} for `, since, after: rest }

function heldHeadline(hold: Hold, since: string | null, turn: VerificationTurn | null = null): Headline {
  const act =
    hold.cause === 'kyc' ? actsOnTurn[turn ?? 'customer'] : (actsOnHold[hold.cause] ?? askWhatIsNeeded)
  // "Held for 17 h because the sender’s name differed" would be wrong: the name did not differ for 17 h.
  if (hold.cause === 'sender-name') return lasting('Held', since, `${differedWords}: ${act}`)
  if (hold.cause === 'aml-unread') return lasting('Held', since, `${checkedWords}: ${act}`)
  return lasting(heldWords(hold), since, `: ${act}`)
}

/** The hold itself may say who must act. */
const actsOnHold: Readonly<Partial<Record<Hold['cause'], string>>> = {
  process: 'waiting for the provider',
}

const askWhatIsNeeded = 'ask the provider what is needed'

const actsOnTurn = {
  customer: 'the customer must finish verification',
  provider: 'the customer is being verified, waiting for the provider',
  verified: 'the customer is verified, ask the provider to release it',
  refused: `the customer was refused or suspended, ${askWhatIsNeeded}`,
} as const satisfies Record<VerificationTurn, string>

const differedWords = ' because the sender’s name differed'
/** The check may have passed; then the hold has another cause. */
const checkedWords = ', and there was an AML check'

function heldWords({ cause, reason }: Hold): string {
  switch (cause) {
    case 'kyc':
      return 'Held for KYC'
    case 'sender-name':
      return `Held${differedWords}`
    case 'aml':
      return 'Held after an AML check'
    case 'aml-unread':
      return `Held${checkedWords}`
    case 'process':
      return 'On hold at the provider'
    case 'not-known':
      return `Held${finerOf('ON_HOLD', reason) || ' without a reason given'}`
  }
}

/** The text is like " (AML_CHECK)", or empty when the reason only repeats the step. */
function finerOf(step: Step, reason: string | null): string {
  const finer = reasonLabel(step, reason)
  return finer === null || repeating.has(reason) ? '' : ` (${finer})`
}

/**
 * These reasons say no more than FAILED does. The sandbox sends them with it, as deliveries have
 * PROCESS_COMPLETED with SUCCESS.
 */
const repeating: ReadonlySet<string | null> = new Set(['PROCESS_FAILED'])

/** The text is like "Held for KYC, then failed": the points that led to the following words. */
function ledTo(led: readonly Passage[], transaction: HeadlineFacts, locale: string) {
  const before = led.map((passage) => passageWords(passage, transaction, locale))
  return (words: string): string => {
    const sentence = [...before, words].join(', then ')
    return sentence.charAt(0).toUpperCase() + sentence.slice(1)
  }
}

function passageWords(passage: Passage, transaction: HeadlineFacts, locale: string): string {
  switch (passage.step) {
    case null:
      return passage.cause === 'aml' ? 'an AML check' : 'the sender’s name differed'
    case 'ON_HOLD':
      return heldWords(passage)
    case 'FAILED':
      return `failed${finerOf('FAILED', passage.reason)}`
    case 'LIMIT_BREACHED':
      return `${sentOf(transaction, locale)}${belowOf(transaction, locale)}`
    case 'SUCCESS':
      return 'completed'
  }
}

const sentOf = (transaction: HeadlineFacts, locale: string): string =>
  `${cryptoAmount(transaction, locale) ?? 'the stablecoin amount'} sent`

/** The text is like ", below the minimum for Ethereum (limit 1 USDC)". */
function belowOf(transaction: HeadlineFacts, locale: string): string {
  const { chain, limit } = transaction
  const which = chain === null ? 'the chain' : chainLabel(chain)
  const bound = limit === null ? '' : ` (limit ${formatMoney(limit, limitCurrency(transaction), locale)})`
  return `, below the minimum for ${which}${bound}`
}

/** The text is like "€97.50 of €100", as far as the refund is known. */
export function refundAmount({ amount, currency, of }: Refund, locale = 'en'): string {
  const written = formatMoney(amount, currency, locale)
  return of === null ? written : `${written} of ${formatMoney(of, currency, locale)}`
}

/** The text is like "a refund of 120, which is more than came in, is reported". */
export function refundReportedWords(refund: Refund, locale = 'en'): string {
  const why = refund.doubt === 'none' ? lessWords : refund.doubt === 'more' ? moreWords : null
  return `a refund of ${refundAmount(refund, locale)}${why === null ? '' : `${why},`} is reported`
}

const lessWords = ', which is less than nothing'
const moreWords = ', which is more than came in'

const reportedWords = (refund: Refund, locale: string): string =>
  `${refundReportedWords(refund, locale)}, ask the provider whether it went back`

function refundReported(transaction: HeadlineFacts, locale: string): string {
  const refund = refundOf(transaction)
  if (refund !== null) return `: ${reportedWords(refund, locale)}`
  return mayHideRefund(refund, transaction.flags)
    ? `: a refund may be reported, ${hidingWords}`
    : ': no refund reported, ask the provider'
}

const hidingWords = 'but an amount is not readable: see its events, ask the provider'

function refundedHeadline(
  transaction: HeadlineFacts,
  after: (sentence: string) => string,
  since: string | null,
  locale: string,
): Headline {
  const refund = refundOf(transaction)
  if (mayHideRefund(refund, transaction.flags))
    return ago(after('called refunded'), since, `, ${hidingWords}`)
  if (refund === null) return ago(after('refunded to the customer'), since, '')
  const amount = refundAmount(refund, locale)
  if (refund.kind !== 'doubted') return ago(after(`${amount} returned to the customer`), since, '')
  const why = refund.doubt === 'more' ? moreWords : ''
  return ago(after('called refunded'), since, `, with an amount of ${amount}${why}: ask the provider`)
}

/**
 * The text is like `€4.76 became 5 USDC on Polygon, finished in 48 s`; null when an amount was never given, or
 * when it may not be true.
 */
export function successOf(transaction: HeadlineFacts, locale: string): string | null {
  const { direction, step, flags, chain, durationSeconds } = transaction
  const fiat = fiatAmount(transaction, locale)
  const crypto = cryptoAmount(transaction, locale)
  const { payout } = paymentPhase({ direction, step, conflict: flags.includes('conflict') })
  if (payout !== 'paid-out' || fiat === null || crypto === null) return null
  const coins = chain === null ? crypto : `${crypto} on ${chainLabel(chain)}`
  const became = direction === 'cryptoToFiat' ? `${coins} became ${fiat}` : `${fiat} became ${coins}`
  return durationSeconds === null ? became : `${became}, finished in ${formatDuration(durationSeconds)}`
}

/** The text is like `€4.76 to USDC`, as far as it is known. */
export function exchangeOf(transaction: HeadlineFacts, locale: string): string {
  const { direction, currencyCrypto, currencyFiat } = transaction
  const fiat = fiatAmount(transaction, locale)
  const crypto = cryptoAmount(transaction, locale)
  if (direction === 'fiatToCrypto') {
    return `${fiat ?? currencyFiat ?? 'Fiat'} to ${crypto ?? currencyCrypto?.toUpperCase() ?? 'stablecoin'}`
  }
  if (direction === 'cryptoToFiat') {
    return `${crypto ?? currencyCrypto?.toUpperCase() ?? 'Stablecoin'} to ${fiat ?? currencyFiat ?? 'fiat'}`
  }
  return 'Transaction'
}

const fiatAmount = ({ amountFiat, currencyFiat }: HeadlineFacts, locale: string) =>
  amountFiat === null ? null : formatMoney(amountFiat, currencyFiat, locale)

const cryptoAmount = ({ amountCrypto, currencyCrypto }: HeadlineFacts, locale: string) =>
  amountCrypto === null ? null : formatMoney(amountCrypto, currencyCrypto, locale)
