/** ASSUMED: a transaction that should move by itself and has not for this long wants a look. Milliseconds. */
const stuckAfter = 15 * 60_000

const moving = new Set(['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'FIAT_TRANSFER_ISSUED'])

/** Whether it stands at a step that another should follow, and nothing has come for 15 minutes. Times in ms. */
export const isStuck = (step: string | null, lastMoveAt: number, now: number): boolean =>
  moving.has(step ?? '') && now - lastMoveAt > stuckAfter
