import { uuidv7Of } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { setStatus } from '../lib/endpoints/change-endpoint.ts'
import { listGaps } from '../lib/endpoints/gaps/gaps.ts'
import { runWatchRound, watchJob } from '../lib/operations/watcher/watcher.ts'
import { admin, browser, reason } from './endpoints.ts'

// Tests of gaps use these steps for endpoints that deliver here.

export const holder = watchJob()

const tables =
  'gap, watched_endpoint, delivery_hour, refusal, refused_caller, receiver, delivery, transaction, lease, endpoint_status_change, audit'

export async function forgetAll() {
  await pool().query(`TRUNCATE ${tables}`)
  await control('/reset')
}

export async function control(path: string, body: object = {}): Promise<unknown> {
  const answer = await fetch(`${env().sandboxUrl?.origin}/_sandbox${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.status === 204 ? null : answer.json()
}

export const set = (endpointUuid: string, status: 'active' | 'disabled') =>
  setStatus(admin, { endpointUuid, status, reason }, browser)

export const watch = () => runWatchRound(pool(), holder)

export const gaps = async () => (await listGaps(admin)).rows

export async function onlyGap() {
  const [gap, ...others] = await gaps()
  if (!gap || others.length > 0) throw new Error(`There is not one gap: ${JSON.stringify([gap, ...others])}`)
  return gap
}

/** The delivery was taken this many seconds ago. */
export async function take(receiverId: string, secondsAgo: number) {
  const at = new Date(Date.now() - secondsAgo * 1000)
  await pool().query(`INSERT INTO delivery (id, receiver_id, received_at, body) VALUES ($1, $2, $3, '')`, [
    uuidv7Of(at),
    receiverId,
    at,
  ])
}

/** The refusals lie between two times, in seconds ago, and last for 20 s of each minute. */
export async function refuse(receiverId: string, why: string, from: number, until = from) {
  for (let ago = from; ago >= until; ago -= 60) {
    const at = new Date(Date.now() - ago * 1000)
    await pool().query(
      `INSERT INTO refusal (receiver_id, minute, why, count, first_at, last_at)
       VALUES ($1, date_trunc('minute', $2::timestamptz), $3, 10, $2, $2::timestamptz + interval '20 s')
       ON CONFLICT (receiver_id, minute, why) DO UPDATE SET count = refusal.count + 10, last_at = EXCLUDED.last_at`,
      [receiverId, at, why],
    )
  }
}

/** The endpoint looks as if it was created this many seconds ago. */
export const age = (receiverId: string, seconds: number) =>
  pool().query(
    `UPDATE receiver SET created_at = now() - $2 * interval '1 s', updated_at = now() - $2 * interval '1 s' WHERE id = $1`,
    [receiverId, seconds],
  )
