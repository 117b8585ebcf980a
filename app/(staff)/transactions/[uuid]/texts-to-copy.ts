import { standingOf } from '#components/people/standing-pill.tsx'
import { headlineFacts } from '#components/timeline/headline.tsx'
import type { SaidIn } from '#components/timeline/said-text.tsx'
import { formatAmount, noCurrency } from '#components/ui/shared/amount.tsx'
import { showValue } from '#lib/access/rules/visibility.ts'
import type { TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import { paymentWords } from '#lib/transactions/labels/payment-labels.ts'
import { limitCurrency } from '#lib/transactions/rules/money.ts'
import { refundOf } from '#lib/transactions/rules/refund.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { customerReply, type ReplyFacts } from '#lib/words/labels/customer-reply.ts'

/** The reply to the customer is in each language, from what the customer may know. */
export function replyTexts(
  transaction: TransactionDetailsView,
  all: readonly CustomerWords[],
  verificationUrl: string | null,
  usual: ReplyFacts['usual'],
): SaidIn[] {
  const known = {
    ...headlineFacts(transaction),
    step: showValue('end-user', 'state', transaction.step),
    reason: showValue('end-user', 'state', transaction.reason),
  }
  return all.map((words) => ({
    language: words.language,
    text: customerReply(words, known, { reference: transaction.uuid, verificationUrl, usual }),
  }))
}

/**
 * The provider's support needs this text about a transaction: its uuid first (§6.2), then the facts, with times in
 * UTC.
 */
export function transactionProviderText(transaction: TransactionDetailsView): string {
  const { currencyFiat, currencyCrypto } = transaction
  const { receipt, payout } = paymentWords(standingOf(transaction))
  const [fiatWord, cryptoWord] =
    transaction.direction === 'cryptoToFiat' ? [payout, receipt] : [receipt, payout]
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['transactionUuid', transaction.uuid],
    ['direction', transaction.direction],
    ['subType', transaction.step],
    ['status', transaction.reason],
    ['amountFiat', withWord(formatAmount(transaction.amountFiat, currencyFiat), fiatWord)],
    ['amountCrypto', withWord(formatAmount(transaction.amountCrypto, currencyCrypto), cryptoWord)],
    ['amountRefunded', stated(transaction.amountRefunded, refundOf(transaction)?.currency ?? null)],
    ['fees', stated(transaction.fees, null)],
    ['limit', stated(transaction.limit, limitCurrency(transaction))],
    ['chain', transaction.chain],
    ['transactionHash', transaction.transactionHash],
    ['user uuid', transaction.userUuid],
  ]
  const given = facts.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
  const received = transaction.events.map(
    ({ subType, type, status, firstReceivedAt, placedBefore, deliveries }) => {
      const what = [subType ?? type ?? 'no type', status === subType ? null : status]
        .filter(Boolean)
        .join(' / ')
      const before = placedBefore ? `, placed before ${placedBefore}` : ''
      return `${firstReceivedAt}  ${what} (${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'}${before})`
    },
  )
  return [...given, '', 'Events as received (UTC):', ...received].join('\n')
}

const stated = (amount: string | null, currency: string | null) =>
  withWord(formatAmount(amount, currency), currency === null ? noCurrency : null)

/** The amount comes with the label of its step. */
const withWord = (amount: string | null, word: string | null) =>
  amount !== null && word !== null ? `${amount} (${word})` : amount
