import 'server-only'
import type pg from 'pg'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { keepSettingRow } from '#lib/platform/settings/setting-rows.ts'

/** Milliseconds until it is learnt anew. */
const everyMs = 3_600_000

/** Learns something anew from what is stored, once an hour; `key` names the setting whose age says when it was learnt. */
export const learnHourly = (
  pool: pg.Pool,
  key: string,
  learn: (client: Transaction) => Promise<unknown>,
): Promise<void> =>
  inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(FRESH, [key, everyMs])
    if (rowCount === 1) return
    // First, so that whoever learns at the same time waits here.
    await keepSettingRow(client, key, {})
    await learn(client)
  })

const FRESH = `
  SELECT FROM setting WHERE key = $1 AND updated_at > clock_timestamp() - $2 * interval '1 ms'`
