import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { insertDeliveries } from '../../../lib/deliveries/ingest/insert-deliveries.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'

/** Transactions, and accounts, of which a step of each comes before the next step of any. */
const group = 100

const steps = ['PENDING', 'IN_PROGRESS', 'ON_HOLD', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS']
const states = ['WAITING_CREATION', 'ACTIVE', 'DISABLED', 'ACTIVE']

/**
 * Has deliveries wait, of so many transactions and of a tenth as many accounts, at several receivers: some come twice,
 * some answers were lost, some cannot be read, and one company has its share of all.
 * @returns how many there are
 */
export async function storePastDeliveries(
  url: string,
  receivers: readonly string[],
  transactions: number,
): Promise<number> {
  const pool = openPool(url, 1)
  let stored = 0
  for (let n = 0; n < transactions; n += group) {
    const batch = [...bodiesOfGroup(Math.min(group, transactions - n))].map((body) => ({
      id: uuidv7(),
      receiverId: receivers[crypto.randomInt(receivers.length)] ?? '',
      body: Buffer.from(body),
    }))
    for (let from = 0; from < batch.length; from += 200)
      await insertDeliveries(pool, batch.slice(from, from + 200), 60_000)
    const lost = batch.filter(() => chance(0.03)).map(({ id }) => id)
    await pool.query(
      `INSERT INTO answer_lost (delivery_id, cause) SELECT unnest($1::uuid[]), 'connection-closed'`,
      [lost],
    )
    stored += batch.length
  }
  await pool.end()
  return stored
}

function* bodiesOfGroup(transactions: number): Generator<string> {
  const ids = Array.from({ length: transactions }, () => crypto.randomUUID())
  const accounts = ids.filter((_, n) => n % 10 === 0).map(() => crypto.randomUUID())
  for (const [n, subType] of steps.entries()) {
    for (const transactionUuid of ids) {
      const data = { transactionUuid, status: `${subType}-${n}`, amountFiat: 4.76, fees: 0.1 }
      yield* perhapsTwice({ type: 'fiatToCrypto', subType, uuid: company, data })
    }
    for (const uuid of accounts) {
      const status = states[n] ?? 'ACTIVE'
      yield* perhapsTwice({
        type: 'unblockBankAccount',
        subType: 'statusUpdate',
        uuid: company,
        data: { uuid, status },
      })
    }
    yield* perhapsTwice({
      type: 'AML',
      subType: 'alert',
      uuid: company,
      data: { alert: crypto.randomUUID() },
    })
  }
  yield `no json ${crypto.randomUUID()}`
}

const company = 'c0ffee00-0000-4000-8000-000000000001'

function* perhapsTwice(envelope: object): Generator<string> {
  yield JSON.stringify(envelope)
  if (chance(0.1)) yield JSON.stringify(envelope, null, 1)
}

const chance = (share: number) => Math.random() < share
