import type { Sandbox } from '../state/sandbox.ts'
import { type Received, readReceiver } from './receiver.ts'

/** How many it keeps. */
const kept = 200

/** Takes one delivery as a merchant's backend should (§5.5), notes it, and says the status to answer with. */
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
  // PostgreSQL keeps no NUL in a text.
  await pool.query('INSERT INTO received (at, secret, status, body) VALUES ($1, $2, $3, $4)', [
    clock.now(),
    secret,
    status,
    body.replaceAll('\0', '\ufffd'),
  ])
  await pool.query('DELETE FROM received WHERE id <= (SELECT max(id) FROM received) - $1', [kept])
  return status
}
