import crypto from 'node:crypto'
import type pg from 'pg'
import { foldBodies } from './fold-bodies.ts'
import { addReceiver } from './ingest.ts'

/** The things, one of each kind, belong to nobody who asks for them. */
export interface OthersThings {
  readonly ids: Readonly<Record<Kind, string>>
  /** The owner has the transaction, the account and the session. */
  readonly owner: string
  /** No other customer may be sent these words of the owner. */
  readonly words: readonly string[]
  /** The answer is everything stored about the owner, for comparison. */
  read(): Promise<unknown>
}

/** A table and its column store things of each kind. */
const places = {
  transaction: ['transaction', 'uuid'],
  account: ['event', 'subject_id', 'bank-account:'],
  event: ['event', 'id'],
  company: ['event', 'subject_id', 'entity:'],
  person: ['person', 'user_uuid'],
  endpoint: ['watched_endpoint', 'endpoint_uuid'],
  receiver: ['receiver', 'id'],
  gap: ['gap', 'id'],
  replay: ['replay', 'id'],
  import: ['user_import', 'id'],
  session: ['session', 'id'],
  member: ['member', 'id'],
  passkey: ['passkey', 'id'],
  invitation: ['access_link', 'id'],
  notice: ['admin_notice', 'id'],
  note: ['transaction_note', 'id'],
} as const satisfies Record<string, readonly [table: string, column: string, prefix?: string]>

export type Kind = keyof typeof places

export const kinds = Object.keys(places) as readonly Kind[]

const iban = 'DE89370400440532013000'
const email = 'somebody.else@demo.test'

/** The function creates one thing of each kind in the database of this process's configuration. */
export async function makeOthersThings(pool: pg.Pool): Promise<OthersThings> {
  const owner = crypto.randomUUID()
  const made = Object.fromEntries(kinds.map((kind) => [kind, crypto.randomUUID()])) as Record<Kind, string>
  const { id: receiver } = await addReceiver(pool)
  await foldBodies(bodies(owner, made), Date.now() - 3_600_000)
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM event WHERE subject_id = 'transaction:' || $1::text`,
    [made.transaction],
  )
  const ids = { ...made, person: owner, receiver, event: rows[0]?.id ?? '' }
  const one = (sql: string, ...values: readonly unknown[]) => pool.query(sql, [...values])
  await one(
    `INSERT INTO person (user_uuid, email, email_key, first_name, last_name, source) VALUES ($1, $2, $2, 'Zacharias', 'Elsewhere', 'test')`,
    owner,
    email,
  )
  await one(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
     VALUES ($1, $2, $3, 'code', 'end-user', now() + interval '1 hour', now() + interval '1 hour')`,
    ids.session,
    crypto.randomBytes(32),
    owner,
  )
  await one(`INSERT INTO member (id, name, role) VALUES ($1, 'Yolanda Elsewhere', 'support')`, ids.member)
  await one(
    `INSERT INTO passkey (id, member_id, credential_id, public_key, counter, name, backed_up)
     VALUES ($1, $2, $3, '', 0, 'Key of Yolanda', false)`,
    ids.passkey,
    ids.member,
    crypto.randomUUID(),
  )
  await one(
    `INSERT INTO access_link (id, kind, token_digest, name, role, invitee, created_by, expires_at)
     VALUES ($1, 'invitation', $2, 'Xaver Elsewhere', 'support', 'xaver', '', now() + interval '1 hour')`,
    ids.invitation,
    crypto.randomBytes(32),
  )
  await one(`INSERT INTO admin_notice (id, kind) VALUES ($1, 'key-refused')`, ids.notice)
  await one(
    `INSERT INTO transaction_note (subject_id, id, text, author) VALUES ('transaction:' || $1::text, $2, 'Wilhelm rang twice', $3)`,
    ids.transaction,
    ids.note,
    ids.member,
  )
  await one('UPDATE receiver SET endpoint_uuid = $2 WHERE id = $1', ids.receiver, ids.endpoint)
  await one(
    `INSERT INTO watched_endpoint (endpoint_uuid, receiver_id, name, status, events)
     VALUES ($1, $2, 'Elsewhere', 'active', '{*}')`,
    ids.endpoint,
    ids.receiver,
  )
  await one(
    `INSERT INTO gap (id, kind, about, began_at, ended_at) VALUES ($1, 'down', '', now() - interval '2 hours', now())`,
    ids.gap,
  )
  await one(
    `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state)
     VALUES ($1, 'fold', '{}', 50, 'Asked by Yolanda', $2, 0, 'done')`,
    ids.replay,
    ids.member,
  )
  await one(
    `INSERT INTO user_import (id, file_name, actor, state, total, broken, created)
     VALUES ($1, 'elsewhere.csv', $2, 'checked', 0, 0, 0)`,
    ids.import,
    ids.member,
  )
  return {
    ids,
    owner,
    words: [iban, 'Zacharias', email, 'Yolanda', 'Xaver', 'Wilhelm', 'elsewhere.csv'],
    read: async () => {
      const stored = kinds.map(async (kind) => {
        const [table, column, prefix = ''] = places[kind] as readonly string[]
        const found = await one(
          `SELECT one::text AS text FROM ${table} one WHERE ${column}::text = $1`,
          prefix + ids[kind],
        )
        return [kind, ...found.rows.map(({ text }) => text)]
      })
      return Promise.all(stored)
    },
  }
}

const bodies = (uuid: string, ids: Readonly<Record<Kind, string>>) => [
  {
    type: 'fiatToCrypto',
    subType: 'PENDING',
    uuid,
    data: {
      transactionUuid: ids.transaction,
      status: 'PENDING',
      direction: 'fiatToCrypto',
      amountFiat: 12,
      currencyFiat: 'EUR',
      senderDetails: { senderName: 'Zacharias Elsewhere', accountDetails: { iban, currency: 'EUR' } },
    },
  },
  {
    type: 'unblockBankAccount',
    subType: 'statusUpdate',
    uuid,
    data: { uuid: ids.account, iban, status: 'ACTIVE' },
  },
  { type: 'AML', subType: 'statusUpdate', uuid, data: { status: 'FINDING OF ZACHARIAS' } },
  { type: 'KYB', subType: 'statusUpdate', uuid: ids.company, data: { status: 'KYB_PENDING' } },
]
