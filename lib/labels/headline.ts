import { isStep, type Step } from '#lib/domain/delivery/steps.ts'
import type { Transaction } from '#lib/domain/transaction/transaction.ts'
import { formatDuration } from './duration.ts'
import { chainLabel, reasonLabel } from './event-labels.ts'
import { formatMoney } from './money.ts'

/** What a headline speaks of. */
export type HeadlineFacts = Pick<
  Transaction,
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
> & { readonly flags: readonly string[] }

/** What happened to a transaction, in one sentence that says no more than §6.1 and §6.2 do. */
export function headline(transaction: HeadlineFacts, locale = 'en'): string {
  const sentence = sentenceOf(transaction, locale)
  return transaction.flags.includes('conflict')
    ? `${sentence}, but another event says the contrary`
    : sentence
}

function sentenceOf(transaction: HeadlineFacts, locale: string): string {
  const { direction, step, reason, limit, amountRefunded, chain } = transaction
  const what = exchangeOf(transaction, locale)
  if (direction === null || !isStep(step)) return `${what}: ${step ?? reason ?? 'no step given'}`
  const finer = reasonLabel(step, reason)
  const rest = {
    PENDING: 'created, awaiting processing',
    IN_PROGRESS:
      direction === 'fiatToCrypto' ? 'fiat received, processing' : 'stablecoin received, processing',
    CRYPTO_TRANSFER_ISSUED: 'stablecoin sent to the network',
    FIAT_TRANSFER_ISSUED: 'fiat transfer initiated',
    SUCCESS: 'completed',
    ON_HOLD: finer === null ? 'on hold' : `on hold (${finer})`,
    FAILED: finer === null ? 'failed' : `failed (${finer})`,
    LIMIT_BREACHED: `below the minimum for ${chain === null ? 'the chain' : chainLabel(chain)}${
      limit === null ? '' : ` (limit ${formatMoney(limit, null, locale)})`
    }`,
    REFUNDED: `refunded to the customer${
      amountRefunded === null ? '' : ` (amount refunded ${formatMoney(amountRefunded, null, locale)})`
    }`,
  } as const satisfies Record<Step, string>
  if (step === 'SUCCESS') return successOf(transaction, locale) ?? `${what}: ${rest.SUCCESS}`
  if (step === 'LIMIT_BREACHED') return `${sent(transaction, locale)} sent: ${rest.LIMIT_BREACHED}`
  return `${what}: ${rest[step]}`
}

/** `€4.76 became 5 USDC on Polygon, finished in 48 s`; null when an amount was never given. */
export function successOf(transaction: HeadlineFacts, locale: string): string | null {
  const { direction, chain, durationSeconds } = transaction
  const fiat = fiatAmount(transaction, locale)
  const crypto = cryptoAmount(transaction, locale)
  if (fiat === null || crypto === null) return null
  const coins = chain === null ? crypto : `${crypto} on ${chainLabel(chain)}`
  const became = direction === 'cryptoToFiat' ? `${coins} became ${fiat}` : `${fiat} became ${coins}`
  return durationSeconds === null ? became : `${became}, finished in ${formatDuration(durationSeconds)}`
}

/** `€4.76 to USDC`, with what is known so far. */
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

const sent = (transaction: HeadlineFacts, locale: string) =>
  cryptoAmount(transaction, locale) ?? 'The stablecoin amount'

const fiatAmount = ({ amountFiat, currencyFiat }: HeadlineFacts, locale: string) =>
  amountFiat === null ? null : formatMoney(amountFiat, currencyFiat, locale)

const cryptoAmount = ({ amountCrypto, currencyCrypto }: HeadlineFacts, locale: string) =>
  amountCrypto === null ? null : formatMoney(amountCrypto, currencyCrypto, locale)
