import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { type Decimal, isZero, parseDecimal } from '#lib/platform/rules/decimal.ts'

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
