export const maxAttempts = 7

/** The wait comes before retry `n` (1 to 6). §6.8 */
export const retryDelaySeconds = (n: number) => n ** 6 + 2

/** The function decides what follows attempt `number` (1 to 7). §6.8. ASSUMED: the wait runs from the attempt's end. */
export function afterAttempt(number: number, succeeded: boolean): AfterAttempt {
  if (succeeded) return { state: 'delivered' }
  if (number >= maxAttempts) return { state: 'lost' }
  return { state: 'waiting', delaySeconds: retryDelaySeconds(number) }
}

export type AfterAttempt =
  | { state: 'delivered' }
  | { state: 'lost' }
  | { state: 'waiting'; delaySeconds: number }
