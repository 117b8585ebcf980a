import { type Direction, stepsOf } from '#lib/deliveries/rules/steps.ts'

/** A page may say this about the money that comes in. `unstated`: only the amount is shown. */
export type ReceiptPhase = 'expected' | 'received' | 'sent' | 'unstated'

/** A page may say this about the money that goes out. `unstated`: only the amount is shown. */
export type PayoutPhase = 'to-be-paid-out' | 'on-its-way' | 'paid-out' | 'was-to-be-paid-out' | 'unstated'

/** The phase covers both sides of a transaction, as far as its events say. */
export interface PaymentPhase {
  readonly receipt: ReceiptPhase
  readonly payout: PayoutPhase
  /** One amount became the other, or is about to: only then do they give a rate. */
  readonly exchanged: boolean
}

export interface TransactionStanding {
  readonly direction: Direction | null
  readonly step: string | null
  /** Another event contradicts the outcome. */
  readonly conflict: boolean
  /** The transaction is known to have passed these steps; lists do not know them. */
  readonly passed?: readonly (string | null)[]
}

/** The step says so much about the money, and no more: §6.1, §6.2. A step that its direction does not have says nothing. */
export function paymentPhase({ direction, step, conflict, passed = [] }: TransactionStanding): PaymentPhase {
  const known = direction === null ? undefined : stepsOf[direction].find((one) => one === step)
  if (direction === null || known === undefined || conflict) return unstated
  const said = phases[known]
  const receipt =
    said.receipt === 'unstated' && passed.some((one) => acknowledgesReceipt(direction, one))
      ? 'received'
      : said.receipt
  // A transfer that was issued is no plan any more, and nobody knows whether it arrived or another follows.
  const payout =
    isPlanned.has(said.payout) && passed.some((one) => issuesTransfer(direction, one))
      ? 'unstated'
      : said.payout
  return { ...said, receipt, payout }
}

const isPlanned: ReadonlySet<PayoutPhase> = new Set(['to-be-paid-out', 'was-to-be-paid-out'])

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
  // A hold can come at any point, so it says nothing about the receipt.
  ON_HOLD: { receipt: 'unstated', payout: 'to-be-paid-out', exchanged: false },
  FAILED: { receipt: 'unstated', ...ended },
  LIMIT_BREACHED: { receipt: 'sent', ...ended },
  REFUNDED: { receipt: 'unstated', ...ended },
} as const satisfies Record<KnownStep, PaymentPhase>

const acknowledgesReceipt = (direction: Direction, step: string | null): boolean =>
  stepsOf[direction].some((one) => one === step && phases[one].receipt === 'received')

const issuesTransfer = (direction: Direction, step: string | null): boolean =>
  stepsOf[direction].some((one) => one === step && phases[one].exchanged)

/**
 * §6.2 does not name the currency of `limit`. ASSUMED: it is that of the stablecoin that was sent, whose amount
 * was compared with the minimum of the chain (§8). Null when it is not known.
 */
export const limitCurrency = ({
  direction,
  currencyCrypto,
}: {
  readonly direction: Direction | null
  readonly currencyCrypto: string | null
}): string | null => (direction === 'cryptoToFiat' ? currencyCrypto : null)
