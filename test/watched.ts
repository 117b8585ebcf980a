import crypto from 'node:crypto'
import { pool } from '#lib/db/pool.ts'
import type { EventType } from '#lib/domain/delivery/event-types.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { newReceiverAddress } from '#lib/endpoints/new-receiver-address.ts'
import { setStatus } from '#lib/endpoints/set-status.ts'
import { env } from '#lib/env.ts'
import { listGaps } from '#lib/gaps/list-gaps.ts'
import { runWatchRound } from '#lib/watcher/run-watch-round.ts'
import { callerWith, newBrowser } from './callers.ts'

// What tests of gaps do to endpoints that deliver here, and see.

export const admin = callerWith('admin')
export const browser = newBrowser()
export const reason = 'a test wants it'
export const holder = crypto.randomUUID()

const tables =
  'gap, watched_endpoint, delivery_hour, refusal, refused_caller, receiver, delivery, transaction, lease, endpoint_status_change, audit'

export async function forgetAll() {
  await pool().query(`TRUNCATE ${tables}`)
  await control('/reset')
}

/** What the control interface of the service does. */
export async function control(path: string, body: object = {}): Promise<unknown> {
  const answer = await fetch(`${env().sandboxUrl?.origin}/_sandbox${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.status === 204 ? null : answer.json()
}

export async function createHere(description = 'Here', subscribedEvents: EventType[] | null = null) {
  const { receiverId } = newReceiverAddress()
  const form = { to: 'here', receiverId, description, subscribedEvents, reason } as const
  return { receiverId, ...(await createEndpoint(admin, form, browser)) }
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
