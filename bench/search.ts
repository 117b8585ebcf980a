import crypto from 'node:crypto'
import { pool } from '#lib/db/pool.ts'
import { shortId } from '#lib/domain/short-id.ts'
import { findTransactions } from '#lib/transactions/find-transactions.ts'
import { compare, inWords } from './lists/compare.ts'
import { inDatabase } from './lists/in-database.ts'
import { staff } from './lists/staff.ts'
import { type Size, withTwoSizes } from './lists/two-sizes.ts'

/** How people look for a transaction. What is typed of an id names about one transaction at either size. */
const ways = {
  id: ({ uuid }) => uuid,
  beginning: ({ uuid }) => `${uuid.slice(0, 8)}…`,
  ending: ({ uuid }) => `…${uuid.slice(-7)}`,
  printed: ({ uuid }) => shortId(uuid),
  hash: ({ hash }) => hash,
} satisfies Record<string, (transaction: Sample) => string>

interface Sample {
  readonly uuid: string
  readonly hash: string
}

const searches = 300

/** The whole use case by turns; then, of the same searches, what the database itself takes. */
export default async function search(): Promise<void> {
  await withTwoSizes(process.argv[3], async (on) => {
    const samples = { small: await on('small', sample), large: await on('large', sample) }
    const ratios: number[] = []
    const medians: number[] = []
    for (const [way, textOf] of Object.entries(ways)) {
      const find = async (size: Size, turn: number) => {
        const transaction = samples[size][turn % samples[size].length]
        if (!transaction) throw new Error('There is no transaction')
        const { rows } = await findTransactions(staff, textOf(transaction))
        if (!rows.some(({ uuid }) => uuid === transaction.uuid)) throw new Error(`Not found by ${way}`)
      }
      const whole = await compare(on, searches, find)
      const inside = await compare(on, searches, find, inDatabase)
      console.log(`${way.padEnd(9)} ${inWords(whole)}; in the database ${inWords(inside)}`)
      ratios.push(whole.ratio)
      medians.push(inside.large)
    }
    console.log(`search ratio=${Math.max(...ratios).toFixed(2)} median_ms=${Math.max(...medians).toFixed(2)}`)
  })
}

/** Transactions from all over the list, the same on every run. */
async function sample(): Promise<Sample[]> {
  const beginnings = Array.from({ length: 100 }, (_, n) => crypto.hash('sha256', `sample ${n}`).slice(0, 8))
  const { rows } = await pool().query<Sample>(
    `SELECT t.uuid, t.transaction_hash AS hash FROM unnest($1::text[]) AS beginning, LATERAL (
       SELECT uuid, transaction_hash FROM transaction
       WHERE subject_id > 'transaction:' || beginning AND transaction_hash IS NOT NULL ORDER BY subject_id LIMIT 1) AS t`,
    [beginnings],
  )
  return rows
}
