import 'server-only'
import { consumeLimit, type Limit } from './limits.ts'
import { refuseWithWait } from './refuse-with-wait.ts'

/** Counts one more for `key`. Throws `Refused`, which says how long to wait. */
export async function refuseBeyondLimit(limit: Limit, key: string | null, title: string): Promise<void> {
  const seconds = await consumeLimit(limit, key)
  if (seconds > 0) throw refuseWithWait(seconds, title)
}
