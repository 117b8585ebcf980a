import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, noCallSource } from '#lib/access/caller.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { announceEndpointChanged } from '#lib/endpoints/endpoint-states.ts'
import { newReceiverAddress } from '#lib/endpoints/point-endpoint-here.ts'
import { findReplay } from '#lib/endpoints/replays/replays.ts'
import { startReplay } from '#lib/endpoints/replays/start-replay.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { createServiceClient } from '#lib/service/client.ts'
import { rotateWebhookSecret } from '#lib/service/webhook-endpoints.ts'
import { autoDisableInSandbox, knockInSandbox, playScenarioInSandbox } from './sandbox-control.ts'

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
