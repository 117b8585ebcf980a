import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Caller, noCallSource } from '#lib/access/caller.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { announceEndpointChanged } from '#lib/endpoints/endpoint-states.ts'
import { newReceiverAddress } from '#lib/endpoints/repair-endpoint.ts'
import { findReplay } from '#lib/endpoints/replays/replays.ts'
import { startReplay } from '#lib/endpoints/replays/start-replay.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { createServiceClient } from '#lib/service/client.ts'
import { rotateWebhookSecret } from '#lib/service/webhook-endpoints.ts'

/** The list has the e-mail and `user_uuid` of every user in the sandbox. */
export async function listSandboxUsers(sandboxUrl: URL): Promise<[email: string, userUuid: string][]> {
  const users = UsersSchema.parse(await (await ask(sandboxUrl, 'users')).json())
  return users.map(({ email, uuid }) => [email, uuid])
}

/**
 * `playScenarioInSandbox` starts a scenario, whose events then arrive by HTTP: at their own pace, or at once. It
 * returns the scenario's transaction; null when there is none.
 */
export async function playScenarioInSandbox(
  sandboxUrl: URL,
  { name, userUuid, atOnce = false }: { name: string; userUuid: string; atOnce?: boolean },
): Promise<string | null> {
  const body = { name, user_uuid: userUuid, ...(atOnce && { speed: 0 }) }
  return PlayedSchema.parse(await (await ask(sandboxUrl, 'scenarios', body)).json()).transaction_uuid
}

/** `knockInSandbox` makes a stranger call an endpoint's address so many times, with a wrong secret. */
async function knockInSandbox(sandboxUrl: URL, endpointUuid: string, times: number): Promise<void> {
  await ask(sandboxUrl, `endpoints/${endpointUuid}/knock`, { times })
}

/** `autoDisableInSandbox` makes the service disable an endpoint, as it does after too many failed deliveries. */
async function autoDisableInSandbox(sandboxUrl: URL, endpointUuid: string): Promise<void> {
  await ask(sandboxUrl, `endpoints/${endpointUuid}/auto-disable`, {})
}

interface DemoDelivery {
  readonly receivedAt: Date
  readonly body: Uint8Array
}

/**
 * `makeUpHistory` returns invented deliveries of the past days, in order of time. The same seed gives the same ones.
 */
export async function makeUpHistory(
  sandboxUrl: URL,
  { userUuids, ...rest }: { days: number; transactions: number; seed: number; userUuids: readonly string[] },
): Promise<DemoDelivery[]> {
  const answer = await ask(sandboxUrl, 'history', { ...rest, user_uuids: userUuids })
  const lines = (await answer.text()).trim().split('\n')
  return lines.map((line) => {
    const { at, envelope } = HistoryLineSchema.parse(JSON.parse(line))
    return { receivedAt: new Date(at), body: Buffer.from(JSON.stringify(envelope)) }
  })
}

const UsersSchema = z.array(z.object({ email: z.string(), uuid: z.string() }))
const PlayedSchema = z.object({ transaction_uuid: z.string().nullable().default(null) })
const HistoryLineSchema = z.object({ at: z.iso.datetime(), envelope: z.record(z.string(), z.unknown()) })

async function ask(sandboxUrl: URL, path: string, body?: object): Promise<Response> {
  const init = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const answer = await fetch(new URL(`/_sandbox/${path}`, sandboxUrl), init)
  if (!answer.ok) throw new Error(`The sandbox answered ${answer.status} to ${path}: ${await answer.text()}`)
  return answer
}

/** The audit shows this reason for the demo's actions. */
export const demoReason = 'the demo of the first start'

/**
 * `playTrouble` plays common problems by real calls: a stranger calls the first endpoint, and the service disables a
 * second one, because its deliveries failed after its secret was rotated elsewhere. A replay follows. It stops early
 * when deliveries do not arrive, since a start must not wait for them.
 */
export async function playTrouble(
  admin: Caller,
  sandboxUrl: URL,
  { receiverId, userUuid }: { readonly receiverId: string; readonly userUuid: string },
): Promise<void> {
  if ((await prisma().receiver.count()) > 1) return
  const began = new Date()
  const { receiverId: secondReceiver } = newReceiverAddress()
  const { endpointUuid: second } = await createEndpoint(
    admin,
    {
      to: 'here',
      receiverId: secondReceiver,
      description: 'Payments only',
      subscribedEvents: ['fiatToCrypto', 'cryptoToFiat'],
      reason: demoReason,
    },
    noCallSource,
  )
  const transaction = await playScenarioInSandbox(sandboxUrl, {
    name: 'fiat-to-crypto',
    userUuid,
    atOnce: true,
  })
  const bothTook = async () => (await tookAll(receiverId, began)) && (await tookAll(secondReceiver, began))
  if (!(await waitUntil(bothTook, patience))) return
  // The right secret must be seen first. Before, a wrong one might come from the service itself.
  const { endpointUuid: first } = await prisma().receiver.findUniqueOrThrow({ where: { id: receiverId } })
  if (first !== null) await knockInSandbox(sandboxUrl, first, 3)
  if (!(await waitUntil(() => isWatched(second), patience))) return
  const { serviceBaseUrl: baseUrl, serviceApiKey: apiKey } = env()
  await rotateWebhookSecret(createServiceClient({ baseUrl, apiKey }), second)
  await playScenarioInSandbox(sandboxUrl, { name: 'fiat-to-crypto', userUuid, atOnce: true })
  await waitUntil(() => refusedAll(secondReceiver), patience)
  await autoDisableInSandbox(sandboxUrl, second)
  await announceEndpointChanged(pool(), second)
  await waitUntil(() => hasGap(second), patience)
  if (transaction === null) return
  const asked = { kind: 'fold', transaction, reason: demoReason } as const
  const { replayId } = await startReplay(admin, asked, noCallSource)
  await waitUntil(async () => (await findReplay(admin, replayId))?.state !== 'running', patience)
}

/** Each step may take this many seconds, and usually takes less than one. */
const patience = 10

/** The transaction has four events. */
const tookAll = async (receiverId: string, since: Date) =>
  (await prisma().delivery.count({ where: { receiverId, receivedAt: { gte: since } } })) >= 4

/** Each of the four events was sent with a secret that is unknown here. */
const refusedAll = (receiverId: string) =>
  exists(
    `SELECT FROM refusal WHERE receiver_id = $1::uuid AND why = 'wrong-secret' GROUP BY receiver_id HAVING sum(count) >= 4`,
    receiverId,
  )

/** `isWatched` is true when the watcher has seen the endpoint as active. */
const isWatched = (endpointUuid: string) =>
  exists('SELECT FROM watched_endpoint WHERE endpoint_uuid = $1::uuid', endpointUuid)

const hasGap = (endpointUuid: string) => exists('SELECT FROM gap WHERE about = $1', endpointUuid)

async function exists(query: string, value: string): Promise<boolean> {
  return ((await pool().query(query, [value])).rowCount ?? 0) > 0
}

/**
 * `waitUntil` asks every 50 ms until the answer is yes, for at most so many seconds. It returns false when the time is
 * over.
 */
export async function waitUntil(ask: () => Promise<boolean>, seconds: number): Promise<boolean> {
  const deadline = performance.now() + seconds * 1_000
  while (!(await ask())) {
    if (performance.now() > deadline) return false
    await sleep(50)
  }
  return true
}
