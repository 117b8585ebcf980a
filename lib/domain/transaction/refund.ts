import type { Direction } from '#lib/domain/delivery/steps.ts'
import type { TransactionFields } from '#lib/domain/delivery/transaction-fields.ts'

type Refunded = Pick<
  TransactionFields,
  'amountFiat' | 'amountCrypto' | 'amountRefunded' | 'currencyFiat' | 'currencyCrypto'
> & { readonly direction: Direction | null }

/** What went back: §6 lists `amountRefunded` for every step, and it says so only of one that was refunded. */
export const refundOf = <Amount>({
  step,
  amountRefunded,
}: {
  readonly step: string | null
  readonly amountRefunded: Amount | null
}): Amount | null => (step === 'REFUNDED' ? amountRefunded : null)

/**
 * The currency of `amountRefunded`, which §6 does not name: that of the amount that came in where exactly this amount goes
 * back, and otherwise null.
 */
export function refundCurrency({ direction, amountRefunded, ...paid }: Refunded): string | null {
  if (direction === null || amountRefunded === null) return null
  const [amount, currency] =
    direction === 'fiatToCrypto'
      ? [paid.amountFiat, paid.currencyFiat]
      : [paid.amountCrypto, paid.currencyCrypto]
  return amount !== null && Number(amount) === Number(amountRefunded) ? currency : null
}
