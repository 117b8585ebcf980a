import crypto from 'node:crypto'
import { pool } from '#lib/db/pool.ts'
import { shortId } from '#lib/labels/short-id.ts'
import { findSubjects } from '#lib/search/find-subjects.ts'
import { compareSizes, formatComparison } from './lists/compare.ts'
import { inDatabase } from './lists/in-database.ts'
import { staff } from './lists/staff.ts'
import { type Size, withTwoSizes } from './lists/two-sizes.ts'

/**
 * How people look for something, and which of the sample they mean. What is typed of an id names about one at either
 * size; a customer has about twenty transactions.
 */
const ways = {
  id: ({ transaction }) => [transaction, transaction],
  beginning: ({ transaction }) => [`${transaction.slice(0, 8)}…`, transaction],
  ending: ({ transaction }) => [`…${transaction.slice(-7)}`, transaction],
  printed: ({ transaction }) => [shortId(transaction), transaction],
  hash: ({ hash, transaction }) => [hash, transaction],
  iban: ({ iban, account }) => [iban, account],
  account: ({ account }) => [account, account],
  customer: ({ person }) => [person, person],
} satisfies Record<string, (sample: Sample) => [text: string, meant: string]>

interface Sample {
  readonly transaction: string
  readonly hash: string
  readonly account: string
  readonly iban: string
  readonly person: string
}

const searches = 300

/** Runs the use case on both sizes by turns; then measures the database's part of the same searches. */
export default async function search(): Promise<void> {
  await withTwoSizes(process.argv[3], async (on) => {
    const samples = { small: await on('small', sample), large: await on('large', sample) }
    const ratios: number[] = []
    const medians: number[] = []
    for (const [way, textOf] of Object.entries(ways)) {
      const find = async (size: Size, turn: number) => {
        const each = samples[size][turn % samples[size].length]
        if (!each) throw new Error('There is nothing to look for')
        const [text, meant] = textOf(each)
        const { named, rows } = await findSubjects(staff, text)
        if (![...named, ...rows].some(({ subjectId }) => subjectId.endsWith(`:${meant}`)))
          throw new Error(`Not found by ${way}`)
      }
      const whole = await compareSizes(on, searches, find)
      const inside = await compareSizes(on, searches, find, inDatabase)
      console.log(`${way.padEnd(9)} ${formatComparison(whole)}; in the database ${formatComparison(inside)}`)
      ratios.push(whole.ratio)
      medians.push(inside.large)
    }
    console.log(`search ratio=${Math.max(...ratios).toFixed(2)} median_ms=${Math.max(...medians).toFixed(2)}`)
  })
}

/** Transactions and accounts from all over, the same on every run. */
async function sample(): Promise<Sample[]> {
  const beginnings = Array.from({ length: 100 }, (_, n) => crypto.hash('sha256', `sample ${n}`).slice(0, 8))
  const { rows } = await pool().query<Sample>(
    `SELECT t.uuid AS transaction, t.transaction_hash AS hash, e.data ->> 'uuid' AS account, e.data ->> 'iban' AS iban,
       e.entity_uuid AS person
     FROM unnest($1::text[]) AS beginning, LATERAL (
       SELECT uuid, transaction_hash FROM transaction
       WHERE subject_id > 'transaction:' || beginning AND transaction_hash IS NOT NULL ORDER BY subject_id LIMIT 1) AS t,
     LATERAL (
       SELECT entity_uuid, convert_from(envelope, 'UTF8')::json -> 'data' AS data FROM event
       WHERE subject_id > 'bank-account:' || beginning AND type = 'unblockBankAccount' ORDER BY subject_id LIMIT 1) AS e`,
    [beginnings],
  )
  return rows
}
