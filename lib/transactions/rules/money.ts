import { type Direction, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { type Decimal, isZero, parseDecimal } from '#lib/platform/rules/decimal.ts'

/** What may be said of the money that comes in. `unstated`: nothing but the amount. */
export type ReceiptPhase = 'expected' | 'received' | 'sent' | 'unstated'

/** What may be said of the money that goes out. `unstated`: nothing but the amount. */
export type PayoutPhase = 'to-be-paid-out' | 'on-its-way' | 'paid-out' | 'was-to-be-paid-out' | 'unstated'

/** The two sides of a transaction, as far as what was received of it says. */
export interface PaymentPhase {
  readonly receipt: ReceiptPhase
  readonly payout: PayoutPhase
  /** Whether one amount became the other, or is about to: only then a rate can be computed of them. */
  readonly exchanged: boolean
}

/** Where a transaction stands. */
export interface TransactionStanding {
  readonly direction: Direction | null
  readonly step: string | null
  /** Its outcome is contradicted by another event. */
  readonly conflict: boolean
  /** The steps that it is known to have passed; lists do not know them. */
  readonly passed?: readonly (string | null)[]
}

/** What the step says of the money, and no more: §6.1, §6.2. A step that its direction does not have says nothing. */
export function paymentPhase({ direction, step, conflict, passed = [] }: TransactionStanding): PaymentPhase {
  const known = direction === null ? undefined : stepsOf[direction].find((one) => one === step)
  if (direction === null || known === undefined || conflict) return unstated
  const said = phases[known]
  const receipt =
    said.receipt === 'unstated' && passed.some((one) => acknowledgesReceipt(direction, one))
      ? 'received'
      : said.receipt
  return { ...said, receipt }
}

const unstated: PaymentPhase = { receipt: 'unstated', payout: 'unstated', exchanged: false }

type KnownStep = (typeof stepsOf)[Direction][number]

const issued = { receipt: 'received', payout: 'on-its-way', exchanged: true } as const
const ended = { payout: 'was-to-be-paid-out', exchanged: false } as const

const phases = {
  PENDING: { receipt: 'expected', payout: 'to-be-paid-out', exchanged: false },
  IN_PROGRESS: { receipt: 'received', payout: 'to-be-paid-out', exchanged: false },
  CRYPTO_TRANSFER_ISSUED: issued,
  FIAT_TRANSFER_ISSUED: issued,
  SUCCESS: { receipt: 'received', payout: 'paid-out', exchanged: true },
  // It can come at any point, so it says nothing of the receipt.
  ON_HOLD: { receipt: 'unstated', payout: 'to-be-paid-out', exchanged: false },
  FAILED: { receipt: 'unstated', ...ended },
  LIMIT_BREACHED: { receipt: 'sent', ...ended },
  REFUNDED: { receipt: 'unstated', ...ended },
} as const satisfies Record<KnownStep, PaymentPhase>

const acknowledgesReceipt = (direction: Direction, step: string | null): boolean =>
  stepsOf[direction].some((one) => one === step && phases[one].receipt === 'received')

/** What a refund is told by: of a transaction, or of one event. */
export interface RefundFacts {
  readonly direction: Direction | null
  readonly step: string | null
  readonly amountFiat: string | null
  readonly currencyFiat: string | null
  readonly amountCrypto: string | null
  readonly currencyCrypto: string | null
  readonly amountRefunded: string | null
}

/**
 * What went back. `whole`: all that came in, or no more is known. `part`: less. `reported`: an amount is named, and no step says that
 * it was refunded. `doubted`: the step says so, and the amount says nothing, or more than came in.
 */
export interface Refund {
  readonly kind: 'whole' | 'part' | 'reported' | 'doubted'
  readonly amount: Decimal
  /** §6 names none: that of what came in, unless less came in, or it is not known how much. */
  readonly currency: string | null
  /** What came in, where that is more. */
  readonly of: Decimal | null
}

/**
 * The one rule of refunds, for pages, replies and lists; files have `amountRefunded` as it came. §6 lists it for every step, so 0 is
 * none there, and any other amount is reported. Null where none is named. Decision 0133.
 */
export function refundOf({ direction, step, amountRefunded, ...paid }: RefundFacts): Refund | null {
  const amount = parseDecimal(amountRefunded)
  const isTold = step === 'REFUNDED'
  if (amount === null || (isZero(amount) && !isTold)) return null
  const [given, code] =
    direction === 'cryptoToFiat'
      ? [paid.amountCrypto, paid.currencyCrypto]
      : [paid.amountFiat, paid.currencyFiat]
  const came = direction === null ? null : parseDecimal(given)
  const isNone = Number(amount) <= 0
  const isMore = came !== null && Number(amount) > Number(came)
  const isPart = came !== null && Number(amount) < Number(came) && !isNone
  const currency = came === null || isMore || isNone ? null : code
  const kind = isNone || isMore ? 'doubted' : isPart ? 'part' : 'whole'
  return { kind: isTold ? kind : 'reported', amount, currency, of: isPart ? came : null }
}

/** Whether the step says that money went back, and the amount does not bear it out: its customer is told of neither. */
export const isRefundDoubted = (facts: RefundFacts): boolean => refundOf(facts)?.kind === 'doubted'

/**
 * The currency of `limit`, which §6.2 does not name. ASSUMED: that of the stablecoin that was sent, whose amount was compared
 * with the least for the chain (§8). Null where it is not known.
 */
export const limitCurrency = ({
  direction,
  currencyCrypto,
}: {
  readonly direction: Direction | null
  readonly currencyCrypto: string | null
}): string | null => (direction === 'cryptoToFiat' ? currencyCrypto : null)
