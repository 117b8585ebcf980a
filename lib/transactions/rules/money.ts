import { type Direction, stepsOf } from '#lib/deliveries/rules/steps.ts'

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
