import 'server-only'
import type pg from 'pg'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { keepSettingRow } from '#lib/platform/settings/settings.ts'

/** The values are learned again after this many milliseconds. */
const everyMs = 3_600_000

/** Something is learned from the stored data once an hour; the age of the setting `key` says when it was learned last. */
export const learnHourly = (
  pool: pg.Pool,
  key: string,
  learn: (client: Transaction) => Promise<unknown>,
): Promise<void> =>
  inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(FRESH, [key, everyMs])
    if (rowCount === 1) return
    // This statement comes first, so that another process that learns at the same time waits here.
    await keepSettingRow(client, key, {})
    await learn(client)
  })

const FRESH = `
  SELECT FROM setting WHERE key = $1 AND updated_at > clock_timestamp() - $2 * interval '1 ms'`

/** The values are learned from this many days, in slots of some hours. */
const days = 14
const slotMs = 2 * 3_600_000

/** The same number of rows is read of each slot, however many there are, and however slow the last hour was. */
export const rowsOfSlot = 20

/** The slots of the last 14 days; the newest comes last. */
export function slots(): readonly { readonly from: Date; readonly to: Date }[] {
  const now = Date.now()
  const count = (days * 24 * 3_600_000) / slotMs
  return Array.from({ length: count }, (_, i) => {
    const to = now - (count - 1 - i) * slotMs
    return { from: new Date(to - slotMs), to: new Date(to) }
  })
}
