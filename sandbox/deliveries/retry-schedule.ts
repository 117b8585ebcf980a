/** A delivery is attempted at most this often. §6.8 */
export const maxAttempts = 7

/** Seconds to wait before retry `n` (1 to 6). §6.8 */
export const retryDelaySeconds = (n: number) => n ** 6 + 2

/** What becomes of a delivery after its attempt `number` (1 to 7). §6.8. ASSUMED: the wait runs from the attempt's end. */
export function afterAttempt(number: number, succeeded: boolean): AfterAttempt {
  if (succeeded) return { state: 'delivered' }
  if (number >= maxAttempts) return { state: 'lost' }
  return { state: 'waiting', delaySeconds: retryDelaySeconds(number) }
}

export type AfterAttempt =
  | { state: 'delivered' }
  | { state: 'lost' }
  | { state: 'waiting'; delaySeconds: number }
