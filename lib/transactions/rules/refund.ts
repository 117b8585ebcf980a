import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { type Decimal, isZero, parseDecimal } from '#lib/platform/rules/decimal.ts'

/** A refund is recognised by these facts of a transaction, or of one event. */
export interface RefundFacts {
  readonly direction: Direction | null
  readonly step: string | null
  readonly amountFiat: string | null
  readonly currencyFiat: string | null
  readonly amountCrypto: string | null
  readonly currencyCrypto: string | null
  readonly amountRefunded: string | null
  /** `amount-not-readable`: one of the amounts is no number; nobody says which. */
  readonly flags: readonly string[]
}

/**
 * `whole`: all that came in went back, or no more is known. `part`: less went back. `reported`: an amount is named, but no
 * step says that it was refunded. `doubted`: the step says so, but there is a `doubt`.
 */
export interface Refund {
  readonly kind: 'whole' | 'part' | 'reported' | 'doubted'
  readonly amount: Decimal
  /** §6 names no currency: it is that of the incoming amount, unless less came in, or the amount is not known. */
  readonly currency: string | null
  /** `of` is the incoming amount, when it is larger. */
  readonly of: Decimal | null
  /**
   * The amount cannot be true, at any step, so no customer reads it. `none`: it is 0 or less. `more`: it is larger than what
   * came in. `unclear`: it may be larger, since an amount is not readable and none is known to have come in.
   */
  readonly doubt: 'none' | 'more' | 'unclear' | null
}

/**
 * All pages, replies and lists use this one rule of refunds; files keep `amountRefunded` as it came. §6 lists the field for
 * every step, so 0 means no refund, and any other amount is reported. Null without an amount. Decision 0133.
 */
export function refundOf({ direction, step, amountRefunded, flags, ...paid }: RefundFacts): Refund | null {
  const amount = parseDecimal(amountRefunded)
  const isKnown = step === 'REFUNDED'
  if (amount === null || (isZero(amount) && !isKnown)) return null
  const [given, code] =
    direction === 'cryptoToFiat'
      ? [paid.amountCrypto, paid.currencyCrypto]
      : [paid.amountFiat, paid.currencyFiat]
  const came = direction === null ? null : parseDecimal(given)
  const isNone = Number(amount) <= 0
  const isMore = came !== null && Number(amount) > Number(came)
  const isPart = came !== null && Number(amount) < Number(came) && !isNone
  const currency = came === null || isMore || isNone ? null : code
  const isUnclear = came === null && isUnreadable(flags)
  const doubt = isNone ? 'none' : isMore ? 'more' : isUnclear ? 'unclear' : null
  const kind = doubt !== null ? 'doubted' : isPart ? 'part' : 'whole'
  return { kind: isKnown ? kind : 'reported', amount, currency, of: isPart ? came : null, doubt }
}

const isUnreadable = (flags: readonly string[]): boolean => flags.includes('amount-not-readable')

/** No refund is known, but the amount that is not readable may be that of a refund. */
export const mayHideRefund = (refund: Refund | null, flags: readonly string[]): boolean =>
  refund === null && isUnreadable(flags)

/** The step says that money went back, but the amount does not agree or is not readable: the customer reads neither. */
export const isRefundDoubted = (
  step: string | null,
  refund: Refund | null,
  flags: readonly string[],
): boolean => step === 'REFUNDED' && (refund?.kind === 'doubted' || mayHideRefund(refund, flags))
