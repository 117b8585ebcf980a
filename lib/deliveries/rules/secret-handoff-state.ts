/**
 * The hand-off of a secret to an endpoint elsewhere: `requested` before the service is asked for it, `shown` once
 * an admin has seen it, `deployed` when the endpoint it replaces may be deleted.
 */
export const secretHandoffStates = ['requested', 'shown', 'deployed'] as const

export type SecretHandoffState = (typeof secretHandoffStates)[number]

/** Reads a state from a row; null for one of another version. */
export const parseSecretHandoffState = (text: string): SecretHandoffState | null =>
  secretHandoffStates.find((state) => state === text) ?? null
