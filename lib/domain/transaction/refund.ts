import type { Direction } from '#lib/domain/delivery/steps.ts'
import type { TransactionFields } from '#lib/domain/delivery/transaction-fields.ts'

type Refunded = Pick<
  TransactionFields,
  'amountFiat' | 'amountCrypto' | 'amountRefunded' | 'currencyFiat' | 'currencyCrypto'
> & { readonly direction: Direction | null }

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
