import crypto from 'node:crypto'
import { pool } from '../../lib/platform/db/pool.ts'
import { findSubjects } from '../../lib/search/find-subjects.ts'
import { shortId } from '../../lib/words/labels/formats.ts'
import { compareSizes, formatComparison, inDatabase, type Size, staff, withTwoSizes } from './lists/lists.ts'

export const when = 'the statements or indexes of the search changed'

/**
 * People search in these ways. The text of an id matches about one thing at either size, and a customer has about twenty
 * transactions.
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
  email: ({ email, person }) => [email.slice(0, -3), person],
  amount: ({ amount, day, transaction }) => [`${amount} EUR ${day}`, transaction],
  filtered: ({ wallet, transaction }) => [wallet, transaction],
  mistyped: ({ transaction }) => [withOneWrong(transaction), transaction],
} satisfies Record<string, (sample: Sample) => [text: string, meant: string]>

interface Sample {
  readonly transaction: string
  readonly hash: string
  readonly account: string
  readonly iban: string
  readonly person: string
  readonly email: string
  readonly amount: string
  /** The day looks like `2026-11-20`. */
  readonly day: string
  readonly wallet: string
  readonly step: string
}

/** A larger list has more rows that match these searches, or nearly match them. */
const matchesMore: ReadonlySet<string> = new Set(['amount', 'filtered', 'mistyped'])

const withOneWrong = (id: string) => `${id.slice(0, 20)}${id[20] === '0' ? '1' : '0'}${id.slice(21)}`

const searches = 300

/** The benchmark runs the use case on both sizes by turns, and then measures the database's part of the same searches. */
export default async function search(): Promise<void> {
  await withTwoSizes(process.argv[3], async (on) => {
    const samples = { small: await on('small', sample), large: await on('large', sample) }
    const ratios: number[] = []
    const medians: number[] = []
    let slowest = 0
    for (const [way, textOf] of Object.entries(ways)) {
      const find = async (size: Size, turn: number) => {
        const each = samples[size][turn % samples[size].length]
        if (!each) throw new Error('There is nothing to look for')
        const [text, meant] = textOf(each)
        const filters = way === 'filtered' ? { step: each.step } : {}
        const { named, rows, near, people } = await findSubjects(staff, text, filters)
        const found = [...named, ...rows, ...near].some(({ subjectId }) => subjectId.endsWith(`:${meant}`))
        if (!found && !people.some(({ userUuid }) => userUuid === meant))
          throw new Error(`Not found by ${way}`)
      }
      const whole = await compareSizes(on, searches, find)
      const inside = await compareSizes(on, searches, find, inDatabase)
      console.log(`${way.padEnd(9)} ${formatComparison(whole)}; in the database ${formatComparison(inside)}`)
      slowest = Math.max(slowest, whole.large)
      if (matchesMore.has(way)) continue
      ratios.push(whole.ratio)
      medians.push(inside.large)
    }
    const worst = (figures: readonly number[]) => Math.max(...figures).toFixed(2)
    console.log(`search ratio=${worst(ratios)} median_ms=${worst(medians)} slowest_ms=${slowest.toFixed(2)}`)
  })
}

/** The sample has transactions and accounts from the whole list, the same on every run. */
async function sample(): Promise<Sample[]> {
  const beginnings = Array.from({ length: 100 }, (_, n) => crypto.hash('sha256', `sample ${n}`).slice(0, 8))
  const { rows } = await pool().query<Sample>(
    `SELECT t.uuid AS transaction, t.transaction_hash AS hash, t.amount_fiat::text AS amount, t.started_at::date::text AS day,
       t.step, COALESCE(t.details ->> 'walletAddress', t.details ->> 'sendingAddress') AS wallet, e.data ->> 'uuid' AS account, e.data ->> 'iban' AS iban,
       e.entity_uuid AS person, (SELECT email FROM person WHERE user_uuid::text = e.entity_uuid) AS email
     FROM unnest($1::text[]) AS beginning, LATERAL (
       SELECT uuid, transaction_hash, amount_fiat, started_at, step, details FROM transaction
       WHERE subject_id > 'transaction:' || beginning AND transaction_hash IS NOT NULL AND amount_fiat IS NOT NULL
       ORDER BY subject_id LIMIT 1) AS t,
     LATERAL (
       SELECT entity_uuid, convert_from(envelope, 'UTF8')::json -> 'data' AS data FROM event
       WHERE subject_id > 'bank-account:' || beginning AND type = 'unblockBankAccount' ORDER BY subject_id LIMIT 1) AS e`,
    [beginnings],
  )
  return rows
}
