import type { TransactionStep } from './bodies.ts'

/** A step of a path, `afterSeconds` after the one before it at real pace. */
export type PathStep = TransactionStep & { afterSeconds: number }

/**
 * Ways that a transaction can take (§6.1, §6.2), at the pace of recorded deliveries: 34 s to the transfer, 10 s more.
 * ASSUMED: which status follows which (§3.2 shows no moves).
 */
export const fiatToCryptoPaths = {
  success: [...received(), after(34, 'CRYPTO_TRANSFER_ISSUED'), after(10, 'SUCCESS')],
  held: [
    ...received(),
    after(8, 'ON_HOLD', 'ON_HOLD_KYC'),
    after(60, 'IN_PROGRESS'),
    after(34, 'CRYPTO_TRANSFER_ISSUED'),
    after(10, 'SUCCESS'),
  ],
  heldTwice: [
    ...heldTwice(),
    after(60, 'IN_PROGRESS'),
    after(34, 'CRYPTO_TRANSFER_ISSUED'),
    after(10, 'SUCCESS'),
  ],
  onHold: [...received(), after(8, 'ON_HOLD', 'ON_HOLD_PROCESS')],
  heldRefunded: [...received(), after(8, 'ON_HOLD', 'ON_HOLD_PROCESS'), after(45, 'REFUNDED')],
  failed: [...received(), after(20, 'FAILED')],
  refunded: [...received(), after(20, 'FAILED'), after(45, 'REFUNDED')],
  transferFailed: [
    ...received(),
    after(34, 'CRYPTO_TRANSFER_ISSUED'),
    after(20, 'FAILED'),
    after(45, 'REFUNDED'),
  ],
}

export const cryptoToFiatPaths = {
  success: [...received(), after(34, 'FIAT_TRANSFER_ISSUED'), after(25, 'SUCCESS')],
  held: [
    ...received(),
    after(8, 'ON_HOLD', 'ON_HOLD_KYC'),
    after(60, 'IN_PROGRESS'),
    after(34, 'FIAT_TRANSFER_ISSUED'),
    after(25, 'SUCCESS'),
  ],
  heldTwice: [
    ...heldTwice(),
    after(60, 'IN_PROGRESS'),
    after(34, 'FIAT_TRANSFER_ISSUED'),
    after(25, 'SUCCESS'),
  ],
  onHold: [...received(), after(8, 'ON_HOLD', 'ON_HOLD_PROCESS')],
  heldRefunded: [...received(), after(8, 'ON_HOLD', 'ON_HOLD_KYC'), after(45, 'REFUNDED')],
  failed: [...received(), after(20, 'FAILED')],
  refunded: [...received(), after(20, 'FAILED'), after(45, 'REFUNDED')],
  transferFailed: [
    ...received(),
    after(34, 'FIAT_TRANSFER_ISSUED'),
    after(60, 'FAILED'),
    after(45, 'REFUNDED'),
  ],
  limitBreached: [after(0, 'PENDING'), after(6, 'LIMIT_BREACHED')],
  limitRefunded: [after(0, 'PENDING'), after(6, 'LIMIT_BREACHED'), after(45, 'REFUNDED')],
}

function received(): PathStep[] {
  return [after(0, 'PENDING'), after(4, 'IN_PROGRESS')]
}

function heldTwice(): PathStep[] {
  return [
    ...received(),
    after(8, 'ON_HOLD', 'ON_HOLD_KYC'),
    after(60, 'IN_PROGRESS'),
    after(8, 'ON_HOLD', 'ON_HOLD_PROCESS'),
  ]
}

function after(afterSeconds: number, subType: string, status?: string): PathStep {
  return { afterSeconds, subType, ...(status && { status }) }
}
