import 'server-only'
import { TooMany } from '../refusals.ts'
import { consumeLimit, type Limit } from './limits.ts'

/** Counts so many more for `key`. Throws `TooMany`. */
export async function requireWithinLimit(limit: Limit, key: string, times = 1): Promise<void> {
  const seconds = await consumeLimit(limit, key, times)
  if (seconds > 0) throw new TooMany(seconds)
}
