import 'server-only'
import { TooMany } from '#lib/request/refusals.ts'
import { consumeLimit, type Limit } from './limits.ts'

/** Counts one more for `key`. Throws `TooMany`. */
export async function requireWithinLimit(limit: Limit, key: string): Promise<void> {
  const seconds = await consumeLimit(limit, key)
  if (seconds > 0) throw new TooMany(seconds)
}
