import { z } from 'zod'
import type { QueryClient } from '../database/pool.ts'
import type { Sandbox } from '../state/sandbox.ts'

/** The receiver plays the merchant's backend, so that one machine can show an endpoint's whole life. */
export interface Receiver {
  /** The receiver answers this status to a delivery whose secret it does not refuse. */
  readonly status: number
  /** The receiver checks signatures with these secrets, and checks nothing while it has none. */
  readonly secrets: readonly { readonly id: string; readonly secret: string }[]
}

export async function readReceiver(database: QueryClient): Promise<Receiver> {
  const { rows } = await database.query('SELECT status FROM receiver')
  const secrets = await database.query(
    'SELECT id::text, secret FROM receiver_secret ORDER BY receiver_secret.id',
  )
  return {
    status: StatusRowSchema.parse(rows[0]).status,
    secrets: z.array(SecretRowSchema).parse(secrets.rows),
  }
}

const StatusRowSchema = z.object({ status: z.number() })
const SecretRowSchema = z.object({ id: z.string(), secret: z.string() })

export async function setStatus(database: QueryClient, status: number): Promise<void> {
  await database.query('UPDATE receiver SET status = $1', [status])
}

/** The new secret joins the others, because both are right while an endpoint is replaced. */
export async function giveSecret(database: QueryClient, secret: string): Promise<void> {
  await database.query('INSERT INTO receiver_secret (secret) VALUES ($1) ON CONFLICT DO NOTHING', [secret])
}

export async function forgetSecret(database: QueryClient, id: string): Promise<void> {
  await database.query('DELETE FROM receiver_secret WHERE id::text = $1', [id])
}

export type Received = z.output<typeof ReceivedRowSchema>

/** The list shows received deliveries, the latest first. */
export async function listReceived(database: QueryClient, most: number): Promise<Received[]> {
  const { rows } = await database.query(
    'SELECT id::text, at, secret, status, body FROM received ORDER BY received.id DESC LIMIT $1',
    [most],
  )
  return z.array(ReceivedRowSchema).parse(rows)
}

const ReceivedRowSchema = z.object({
  id: z.string(),
  at: z.date(),
  secret: z.enum(['right', 'wrong', 'unchecked']),
  status: z.number(),
  body: z.string(),
})

export async function forgetReceived(database: QueryClient): Promise<void> {
  await database.query('DELETE FROM received')
}

/** The receiver keeps this many deliveries. */
const kept = 200

/** The receiver takes one delivery as a merchant's backend should (§5.5), notes it, and chooses the status of its answer. */
export async function takeDelivery(
  { pool, clock }: Pick<Sandbox, 'pool' | 'clock'>,
  authorization: string | undefined,
  body: string,
): Promise<number> {
  const { status: wanted, secrets } = await readReceiver(pool)
  const given = /^API-Key (\S+)$/i.exec(authorization ?? '')?.[1]
  const known = secrets.some(({ secret }) => secret === given)
  const secret: Received['secret'] = secrets.length === 0 ? 'unchecked' : known ? 'right' : 'wrong'
  const status = secret === 'wrong' ? 401 : wanted
  // PostgreSQL stores no NUL in a text.
  await pool.query('INSERT INTO received (at, secret, status, body) VALUES ($1, $2, $3, $4)', [
    clock.now(),
    secret,
    status,
    body.replaceAll('\0', '\ufffd'),
  ])
  await pool.query('DELETE FROM received WHERE id <= (SELECT max(id) FROM received) - $1', [kept])
  return status
}
