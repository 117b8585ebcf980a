import 'server-only'
import crypto from 'node:crypto'
import { closeReceiversOf } from '#lib/deliveries/receivers/receiver-store.ts'
import type { SecretHandoffState } from '#lib/deliveries/rules/endpoint-states.ts'
import { readClock } from '#lib/platform/db/clock.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { getWebhookEndpoint, type WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'

export interface NewEndpointHandoff {
  readonly url: string
  readonly description: string
  /** Endpoints with this url existed before. */
  readonly knownEndpoints: readonly string[]
  readonly replaces: string | null
}

/** Call this before an endpoint elsewhere is created. Returns the id of the hand-off. */
export async function beginHandoffOfNewEndpoint(handoff: NewEndpointHandoff): Promise<string> {
  const id = crypto.randomUUID()
  await prisma().secretHandoff.create({ data: { id, ...rowOf(handoff), ...(await inState('requested')) } })
  return id
}

const rowOf = ({ knownEndpoints, ...rest }: NewEndpointHandoff) => ({
  ...rest,
  knownEndpoints: [...knownEndpoints],
})

/**
 * Call this before the secret of an endpoint elsewhere changes. Returns a function that undoes the record. Nobody
 * knows a secret that was requested and never shown; the page then offers a rotation.
 */
export async function beginHandoff(endpointUuid: string): Promise<() => Promise<void>> {
  const before = await prisma().secretHandoff.findUnique({ where: { endpointUuid } })
  const requested = await inState('requested')
  await prisma().secretHandoff.upsert({
    where: { endpointUuid },
    create: { id: crypto.randomUUID(), endpointUuid, knownEndpoints: [], ...requested },
    update: requested,
  })
  return () => (before ? restoreHandoff(before) : deleteSecretHandoff(endpointUuid))
}

type Handoff = NonNullable<Awaited<ReturnType<typeof findSecretHandoff>>>

async function restoreHandoff({ id, state, updatedAt }: Handoff): Promise<void> {
  await prisma().secretHandoff.updateMany({ where: { id }, data: { state, updatedAt } })
}

/** The secret is about to be shown. A hand-off that was deleted meanwhile is kept again. */
export const markSecretShown = (endpointUuid: string): Promise<void> =>
  keepShown({ endpointUuid }, { id: crypto.randomUUID(), endpointUuid, knownEndpoints: [] })

/** The secret of a new endpoint is about to be shown; its hand-off has this id. */
export const markNewSecretShown = (
  id: string,
  handoff: NewEndpointHandoff,
  endpointUuid: string,
): Promise<void> => keepShown({ id }, { id, ...rowOf(handoff), endpointUuid })

/** A failed write is logged and not thrown, because it must not lose a secret that is shown only once. */
async function keepShown(
  where: { readonly id: string } | { readonly endpointUuid: string },
  row: { readonly id: string; readonly endpointUuid: string; readonly knownEndpoints: string[] },
): Promise<void> {
  try {
    const shown = await inState('shown')
    await prisma().secretHandoff.upsert({
      where,
      create: { ...row, ...shown },
      update: { endpointUuid: row.endpointUuid, ...shown },
    })
  } catch (error) {
    const { endpointUuid } = row
    log.error(
      { endpoint: endpointUuid, err: error },
      'A secret is shown, and its page will say that it never was',
    )
  }
}

const log = logOf('endpoints')

/** Returns a function that undoes the record. */
export async function markSecretDeployed(handoff: Handoff): Promise<() => Promise<void>> {
  await prisma().secretHandoff.update({ where: { id: handoff.id }, data: await inState('deployed') })
  return () => restoreHandoff(handoff)
}

export const findSecretHandoff = (endpointUuid: string) =>
  prisma().secretHandoff.findUnique({ where: { endpointUuid } })

/**
 * Throws `Refused` when the page confirms another secret than the one that was shown last. `seen` is the time when
 * the page showed it (ISO 8601), as `EndpointView.shownAt`.
 */
export function requireSameSecret(
  { state, updatedAt }: { readonly state: string; readonly updatedAt: Date },
  seen: string | undefined,
): void {
  const shown: SecretHandoffState = 'shown'
  if (seen !== undefined && state === shown && seen !== updatedAt.toISOString())
    throw new Refused('changed-meanwhile')
}

/** The admin has the secret, or nobody needs it any more. */
export async function deleteSecretHandoff(endpointUuid: string): Promise<void> {
  await prisma().secretHandoff.deleteMany({ where: { endpointUuid } })
}

/** The endpoint of this hand-off was surely not created. */
export async function deleteHandoffOfNewEndpoint(id: string): Promise<void> {
  await prisma().secretHandoff.deleteMany({ where: { id } })
}

/** A second endpoint exists that replaces this one. */
export const isBeingReplaced = async (endpointUuid: string) =>
  (await prisma().secretHandoff.count({ where: { replaces: endpointUuid, endpointUuid: { not: null } } })) > 0

/** The endpoint delivers here now, so no other replaces it. A secret that was shown for that is still to be confirmed. */
export async function endReplacementOf(endpointUuid: string): Promise<void> {
  await pool().query(END_REPLACEMENT, [endpointUuid])
}

const END_REPLACEMENT = `
  UPDATE secret_handoff SET replaces = NULL, state = CASE state WHEN 'deployed' THEN 'shown' ELSE state END
  WHERE replaces = $1`

/**
 * Endpoints whose creation was never answered are found by the same url and description, when they were not there
 * before. One that does not appear within a minute was not created; its record is deleted.
 */
export async function resolveUnansweredCreations(
  listed: readonly WebhookEndpoint[],
  now: Date,
): Promise<void> {
  const open = await prisma().secretHandoff.findMany({
    where: { endpointUuid: null },
    orderBy: { updatedAt: 'asc' },
  })
  if (open.length === 0) return
  const candidates = await isUnclaimed(listed)
  for (const { id, url, description, knownEndpoints, updatedAt } of open) {
    const at = candidates.findIndex(
      (one) =>
        isSameUrl(one.url, url) &&
        (one.description === null || one.description === description) &&
        !knownEndpoints.includes(one.uuid.toLowerCase()),
    )
    const [made] = at < 0 ? [] : candidates.splice(at, 1)
    const still = { id, endpointUuid: null }
    if (made) await prisma().secretHandoff.updateMany({ where: still, data: { endpointUuid: made.uuid } })
    else if (now.getTime() - updatedAt.getTime() > 60_000)
      await prisma().secretHandoff.deleteMany({ where: still })
  }
}

async function isUnclaimed(listed: readonly WebhookEndpoint[]): Promise<WebhookEndpoint[]> {
  const claimed = await prisma().secretHandoff.findMany({ where: { endpointUuid: { not: null } } })
  const uuids = new Set(claimed.map(({ endpointUuid }) => endpointUuid))
  return listed.filter(({ uuid }) => !uuids.has(uuid.toLowerCase()))
}

/** The time is the database's, because processes on other machines compare with it. */
const inState = async (state: SecretHandoffState) => ({ state, updatedAt: new Date(await readClock(pool())) })

/** ASSUMED: the service lists an address as it was given, or as a URL parser writes it. */
export const isSameUrl = (a: string, b: string | null) =>
  b !== null && (a === b || (URL.parse(a)?.href ?? a) === URL.parse(b)?.href)

/**
 * The watcher finishes interrupted changes that need no person: it closes receivers of endpoints that are gone, forgets
 * their hand-offs, and finds endpoints whose creation was never answered. `listed` holds every endpoint of the service
 * at `now`, by the database's clock.
 */
export async function reconcile(listed: readonly WebhookEndpoint[], now: Date): Promise<void> {
  await endAbandoned(listed, now)
  await resolveUnansweredCreations(listed, now)
}

/**
 * Receivers of endpoints that no longer exist are closed, because their secret must not be accepted any more. A hand-off is
 * deleted, because nobody can deploy its secret, and it would block another replacement. The service is asked about each
 * endpoint, so an incomplete list ends nothing. If it knows none of ours, the key may belong to another merchant: then only
 * receivers with a requested deletion are closed.
 */
async function endAbandoned(listed: readonly WebhookEndpoint[], now: Date): Promise<void> {
  const present = new Set<string | null>(listed.map(({ uuid }) => uuid.toLowerCase()))
  const which = { endpointUuid: { not: null } }
  const kept = { endpointUuid: true, state: true, updatedAt: true }
  const [open, handoffs] = await Promise.all([
    prisma().receiver.findMany({ where: { state: { not: 'closed' }, ...which }, select: kept }),
    prisma().secretHandoff.findMany({ where: which, select: { ...kept, replaces: true } }),
  ])
  const all = [...open, ...handoffs]
  const anyPresent =
    all.some(({ endpointUuid }) => present.has(endpointUuid)) ||
    handoffs.some(({ replaces }) => present.has(replaces))
  const settled = new Date(now.getTime() - settledAfterMs)
  const abandoned = all.filter(
    ({ endpointUuid, state, updatedAt }) =>
      !present.has(endpointUuid) && updatedAt < settled && (anyPresent || state === 'deleting'),
  )
  for (const endpointUuid of new Set(abandoned.map(({ endpointUuid: uuid }) => uuid))) {
    if (endpointUuid === null || !(await isGone(endpointUuid))) continue
    await closeReceiversOf(endpointUuid)
    if (anyPresent)
      await prisma().secretHandoff.deleteMany({ where: { endpointUuid, updatedAt: { lt: settled } } })
  }
}

/** No running change can still touch a receiver after this many milliseconds. */
const settledAfterMs = 60_000

const isGone = (uuid: string) =>
  getWebhookEndpoint(serviceClient(), uuid).then(
    () => false,
    (error: unknown) => error instanceof ServiceError && error.code === 'not-found',
  )
