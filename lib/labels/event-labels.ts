import { bankAccountTypes } from '#lib/domain/delivery/event-types.ts'
import {
  type AccountStatus,
  type CryptoToFiatStep,
  type Direction,
  type FiatToCryptoStep,
  isDirection,
} from '#lib/domain/delivery/steps.ts'
import { eventTypeLabel } from './event-type-labels.ts'

/** What a colour and an icon stand for; the word always stands beside them. */
export type Tone = 'wait' | 'move' | 'held' | 'done' | 'fail' | 'back'

export interface StatusLabel {
  readonly label: string
  /** In the words of §6; null for a step that we do not know. */
  readonly meaning: string | null
  readonly tone: Tone
}

const common = {
  SUCCESS: { label: 'Success', meaning: 'Finalized, process completed.', tone: 'done' },
  ON_HOLD: { label: 'On hold', meaning: 'Paused.', tone: 'held' },
  FAILED: { label: 'Failed', meaning: 'Transaction failed.', tone: 'fail' },
  REFUNDED: { label: 'Refunded', meaning: 'Refunded to the customer.', tone: 'back' },
} as const satisfies Record<string, StatusLabel>

const fiatToCrypto = {
  PENDING: { label: 'Pending', meaning: 'Transaction created, awaiting processing.', tone: 'wait' },
  IN_PROGRESS: { label: 'In progress', meaning: 'Fiat receipt acknowledged; processing.', tone: 'move' },
  CRYPTO_TRANSFER_ISSUED: {
    label: 'Stablecoin sent',
    meaning: 'Stablecoin sent to the network.',
    tone: 'move',
  },
  ...common,
} as const satisfies Record<FiatToCryptoStep, StatusLabel>

const cryptoToFiat = {
  ...common,
  PENDING: { label: 'Pending', meaning: 'Created, awaiting processing.', tone: 'wait' },
  IN_PROGRESS: {
    label: 'In progress',
    meaning: 'Stablecoin receipt acknowledged; processing.',
    tone: 'move',
  },
  FIAT_TRANSFER_ISSUED: { label: 'Fiat transfer sent', meaning: 'Fiat transfer initiated.', tone: 'move' },
  SUCCESS: { label: 'Success', meaning: 'Fiat transfer completed.', tone: 'done' },
  LIMIT_BREACHED: {
    label: 'Below minimum',
    meaning: 'Stablecoin amount sent was below the minimum for the chain.',
    tone: 'fail',
  },
} as const satisfies Record<CryptoToFiatStep, StatusLabel>

const account = {
  ACTIVE: { label: 'Active', meaning: null, tone: 'done' },
  WAITING_CREATION: { label: 'Waiting for creation', meaning: null, tone: 'wait' },
  FAILED_CREATION: { label: 'Creation failed', meaning: null, tone: 'fail' },
  DISABLED: { label: 'Disabled', meaning: null, tone: 'back' },
  CHECK_COMPLETED: { label: 'Check completed', meaning: null, tone: 'move' },
  PENDING: { label: 'Pending', meaning: null, tone: 'wait' },
  FAILED: { label: 'Failed', meaning: null, tone: 'fail' },
} as const satisfies Record<AccountStatus, StatusLabel>

const steps: Readonly<Record<Direction, ReadonlyMap<string, StatusLabel>>> = {
  fiatToCrypto: new Map(Object.entries(fiatToCrypto)),
  cryptoToFiat: new Map(Object.entries(cryptoToFiat)),
}
const anyStep = new Map([...steps.cryptoToFiat, ...steps.fiatToCrypto])
const accounts: ReadonlyMap<string, StatusLabel> = new Map(Object.entries(account))

/** The words of a transaction's step; one we do not know is shown as it is. §6.1, §6.2 */
export function stepLabel(direction: Direction | null, step: string | null): StatusLabel {
  const known = direction ? steps[direction].get(step ?? '') : anyStep.get(step ?? '')
  return known ?? { label: step ?? 'No step', meaning: null, tone: 'wait' }
}

/** The words of a bank account's or profile's status; one we do not know is shown as it is. §6.3 to §6.5 */
function accountStatusLabel(status: string | null): StatusLabel {
  return accounts.get(status ?? '') ?? { label: status ?? 'No status', meaning: null, tone: 'wait' }
}

/** What an event says of itself; `status` is its `data.status`. */
export interface EventKind {
  readonly type: string | null
  readonly subType: string | null
  readonly status: string | null
}

/** The words of any event: its step, its status, or what else it says it is. */
export function eventLabel({ type, subType, status }: EventKind): StatusLabel {
  if (isDirection(type)) return stepLabel(type, subType)
  if (bankAccountTypes.has(type ?? '')) return accountStatusLabel(status ?? subType)
  if (type === 'otpNotification' && subType === 'EMAIL_DELIVERY_FAILED') {
    return {
      label: 'E-mail bounced',
      meaning: 'The e-mail carrying the one-time password bounced.',
      tone: 'fail',
    }
  }
  return { label: status ?? subType ?? eventTypeLabel(type).label, meaning: null, tone: 'wait' }
}

/** The finer reason beside a step: `KYC` for `ON_HOLD_KYC`; null when it only repeats the step. */
export function reasonLabel(step: string | null, reason: string | null): string | null {
  if (reason === null || reason === step) return null
  if (step !== null && reason.startsWith(`${step}_`)) return reason.slice(step.length + 1)
  return reason
}

/** `Polygon` for `polygon`; a name with capitals of its own stays as it is. */
export const chainLabel = (chain: string): string =>
  /^[a-z][a-z ]*$/.test(chain) ? chain.charAt(0).toUpperCase() + chain.slice(1) : chain
