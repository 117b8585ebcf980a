import crypto from 'node:crypto'
import pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { insertDeliveries } from '../../../lib/deliveries/ingest/insert-deliveries.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'
import type { BenchDatabase } from '../processes/processes.ts'

/** The function queues this many deliveries, by the statement that stores what arrives. */
export async function fillQueue({ url, receiverId }: BenchDatabase, deliveries: number): Promise<void> {
  const pool = openPool(url, 1)
  let bytes = 0
  for (let n = 0; n < deliveries; n += 200) {
    const bodies = Array.from({ length: Math.min(200, deliveries - n) }, (_, i) => transactionBody(n + i))
    for (const body of bodies) bytes += body.length
    const batch = bodies.map((body) => ({ id: uuidv7(), receiverId, body }))
    await insertDeliveries(pool, batch, 60_000)
  }
  await pool.query('VACUUM (ANALYZE)')
  await pool.end()
  console.log(`${deliveries} deliveries wait, ${Math.round(bytes / deliveries)} bytes each`)
}

/** A wait for an empty queue checks this delivery, the last one. */
export async function lastWaiting(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT max(delivery_id::text) AS id FROM delivery_pending',
  )
  return rows[0]?.id ?? ''
}

/** The wait usually checks only the last delivery. When that is gone, it checks the whole queue. */
export async function untilEmpty(client: pg.ClientBase, last: string): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ waiting: boolean }>(
      `SELECT EXISTS (SELECT FROM delivery_pending WHERE delivery_id = $1)
           OR EXISTS (SELECT FROM delivery_pending) AS waiting`,
      [last],
    )
    if (!rows[0]?.waiting) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** This many transactions run at once: all take their first step, then all their second, and so on. */
const concurrentTransactions = 500

const steps = [
  ['PENDING', 'PENDING'],
  ['IN_PROGRESS', 'OUTSIDE_TRANSFER_IN_REVIEW'],
  ['CRYPTO_TRANSFER_ISSUED', 'CRYPTO_TRANSFER_ISSUED'],
  ['SUCCESS', 'PROCESS_COMPLETED'],
] as const

/** Deliveries come in groups of this size, in which each of their transactions takes all its steps. */
export const deliveriesPerGroup = concurrentTransactions * steps.length

/** The body of delivery number `n` has every field of its kind (§6.1), and `amountCrypto` from the third step on. */
function transactionBody(n: number): Buffer {
  const group = Math.floor(n / deliveriesPerGroup)
  const stepNumber = Math.floor((n % deliveriesPerGroup) / concurrentTransactions)
  const transaction = group * concurrentTransactions + (n % concurrentTransactions)
  const [subType, status] = steps[stepNumber] ?? steps[0]
  const user = transaction % 10_007
  const cents = 500 + Number.parseInt(digest('amount', transaction).slice(0, 5), 16)
  const isIssued = stepNumber >= 2
  return Buffer.from(
    JSON.stringify({
      type: 'fiatToCrypto',
      subType,
      uuid: uuidOf('user', user),
      data: {
        status,
        transactionUuid: uuidOf('transaction', transaction),
        direction: 'fiatToCrypto',
        ...(isIssued ? { amountCrypto: Math.round(cents * 1.0731 * 1e4) / 1e6 } : {}),
        amountFiat: cents / 100,
        walletAddress: `0x${(digest('wallet', user) + digest('rest', user)).slice(0, 40)}`,
        ...(isIssued
          ? { transactionHash: `0x${digest('hash', transaction)}${digest('end', transaction)}` }
          : {}),
        currencyFiat: 'EUR',
        ...(isIssued ? { currencyCrypto: 'usdc' } : {}),
        fees: Math.round(cents / 4) / 100,
        internalBankAccountId: uuidOf('account', user),
        ...(isIssued ? { chain: 'polygon' } : {}),
        senderDetails: {
          senderName: `Sender Number ${user}`,
          senderCountry: 'ES',
          accountDetails: { currency: 'EUR', iban: ibanOf(user) },
        },
      },
    }),
  )
}

const digest = (what: string, n: number) => crypto.hash('md5', `${what}:${n}`)

const uuidOf = (what: string, n: number) =>
  digest(what, n).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5')

function ibanOf(user: number): string {
  const account = String(BigInt(`0x${digest('iban', user)}`) % 10n ** 20n).padStart(20, '0')
  // The two check digits cover the account, then "ES00" in digits.
  const check = 98n - (BigInt(`${account}142800`) % 97n)
  return `ES${String(check).padStart(2, '0')}${account}`
}

/** A size has the bytes of a table, with what is stored outside its rows, and of its indexes. */
interface Size {
  readonly name: string
  readonly table: number
  readonly indexes: number
}

/** The sizes are those of each table after a VACUUM, the largest first. */
export async function sizesOf(url: string): Promise<Size[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('VACUUM')
  const { rows } = await client.query<Size>(SIZES)
  await client.end()
  return rows
}

const SIZES = `
  SELECT relname AS name, pg_table_size(oid)::float8 AS table, pg_indexes_size(oid)::float8 AS indexes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  ORDER BY pg_total_relation_size(oid) DESC`
