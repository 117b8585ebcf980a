import 'server-only'
import crypto from 'node:crypto'
import { prisma } from '#lib/db/prisma.ts'
import type { SecretHandoffState } from '#lib/domain/receiver/secret-handoff-state.ts'
import type { WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'

/**
 * A row is deleted once the admin has confirmed. A secret that was asked for but never shown is known to nobody; the
 * page then offers a rotation.
 */
const inState = (state: SecretHandoffState) => ({ state, updatedAt: new Date() })

export interface NewEndpointHandoff {
  readonly url: string
  readonly description: string
  /** Endpoints with this url that existed before. */
  readonly known: readonly string[]
  readonly replaces: string | null
}

/** Called before an endpoint elsewhere is created. Returns the id of the hand-off. */
export async function beginHandoffOfNewEndpoint({ known, ...asked }: NewEndpointHandoff): Promise<string> {
  const id = crypto.randomUUID()
  await prisma().handover.create({
    data: { id, ...asked, known: [...known], state: 'asked' satisfies SecretHandoffState },
  })
  return id
}

/** Called before the secret of an endpoint elsewhere changes. Returns a function that undoes the record. */
export async function beginHandoff(endpointUuid: string): Promise<() => Promise<void>> {
  const before = await prisma().handover.findUnique({ where: { endpointUuid } })
  const asked = inState('asked')
  await prisma().handover.upsert({
    where: { endpointUuid },
    create: { id: crypto.randomUUID(), endpointUuid, known: [], ...asked },
    update: asked,
  })
  return async () => {
    if (!before) return deleteSecretHandoff(endpointUuid)
    const { state, updatedAt } = before
    await prisma().handover.update({ where: { endpointUuid }, data: { state, updatedAt } })
  }
}

/** The secret is about to be shown. */
export async function markSecretShown(
  where: { readonly id: string } | { readonly endpointUuid: string },
  endpointUuid: string,
) {
  await prisma().handover.update({ where, data: { endpointUuid, ...inState('shown') } })
}

export async function markSecretDeployed(endpointUuid: string): Promise<void> {
  await prisma().handover.update({ where: { endpointUuid }, data: inState('deployed') })
}

export const findSecretHandoff = (endpointUuid: string) =>
  prisma().handover.findUnique({ where: { endpointUuid } })

/** The admin has the secret, or nobody needs it any more. */
export async function deleteSecretHandoff(endpointUuid: string): Promise<void> {
  await prisma().handover.deleteMany({ where: { endpointUuid } })
}

/** Deletes the hand-off of an endpoint that was surely not created. */
export async function deleteHandoffOfNewEndpoint(id: string): Promise<void> {
  await prisma().handover.deleteMany({ where: { id } })
}

/** Whether a second endpoint exists that replaces this one. */
export const isBeingReplaced = async (endpointUuid: string) =>
  (await prisma().handover.count({ where: { replaces: endpointUuid, endpointUuid: { not: null } } })) > 0

/**
 * Identifies endpoints whose creation was never answered: same url and description, not present before. One
 * that does not appear within a minute was not created; its record is deleted.
 */
export async function resolveUnansweredCreations(
  listed: readonly WebhookEndpoint[],
  now: Date,
): Promise<void> {
  const open = await prisma().handover.findMany({
    where: { endpointUuid: null },
    orderBy: { updatedAt: 'asc' },
  })
  if (open.length === 0) return
  const candidates = await isUnclaimed(listed)
  for (const { id, url, description, known, updatedAt } of open) {
    const at = candidates.findIndex(
      (one) =>
        isSameUrl(one.url, url) &&
        (one.description === null || one.description === description) &&
        !known.includes(one.uuid.toLowerCase()),
    )
    const [made] = at < 0 ? [] : candidates.splice(at, 1)
    const still = { id, endpointUuid: null }
    if (made) await prisma().handover.updateMany({ where: still, data: { endpointUuid: made.uuid } })
    else if (now.getTime() - updatedAt.getTime() > 60_000)
      await prisma().handover.deleteMany({ where: still })
  }
}

async function isUnclaimed(listed: readonly WebhookEndpoint[]): Promise<WebhookEndpoint[]> {
  const claimed = await prisma().handover.findMany({ where: { endpointUuid: { not: null } } })
  const uuids = new Set(claimed.map(({ endpointUuid }) => endpointUuid))
  return listed.filter(({ uuid }) => !uuids.has(uuid.toLowerCase()))
}

/** ASSUMED: the service lists an address as it was given, or as a URL parser writes it. */
export const isSameUrl = (a: string, b: string | null) =>
  b !== null && (a === b || (URL.parse(a)?.href ?? a) === URL.parse(b)?.href)
