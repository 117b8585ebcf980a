import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import { Amount } from './amount.tsx'

type Paid = Pick<
  TransactionView,
  'direction' | 'amountFiat' | 'amountCrypto' | 'currencyFiat' | 'currencyCrypto'
>

/** What the customer gives, then what the customer gets. */
export function paidAmounts({ direction, amountFiat, amountCrypto, currencyFiat, currencyCrypto }: Paid) {
  const fiat = <Amount key="fiat" value={amountFiat} currency={currencyFiat} />
  const crypto = <Amount key="crypto" value={amountCrypto} currency={currencyCrypto} />
  return direction === 'cryptoToFiat' ? ([crypto, fiat] as const) : ([fiat, crypto] as const)
}
