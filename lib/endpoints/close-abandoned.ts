import 'server-only'
import { prisma } from '#lib/db/prisma.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { type Endpoint, getEndpoint } from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { closeReceiversOf } from './receiver-store.ts'

/**
 * Closes the receivers of endpoints that are gone, as after a deletion that was interrupted: their secret must open
 * nothing any more. The service is asked for each by itself, so that a list that leaves one out closes nothing.
 */
export async function closeAbandoned(listed: readonly Endpoint[], now: Date): Promise<void> {
  const present = new Set(listed.map(({ uuid }) => uuid.toLowerCase()))
  const open = await prisma().receiver.findMany({
    where: {
      state: { not: 'closed' },
      endpointUuid: { not: null },
      updatedAt: { lt: new Date(now.getTime() - settledAfter) },
    },
    select: { endpointUuid: true },
  })
  const missing = new Set(open.map(({ endpointUuid }) => endpointUuid).filter((uuid) => uuid !== null))
  for (const uuid of missing.difference(present)) if (await isGone(uuid)) await closeReceiversOf(uuid)
}

/** Milliseconds after which no change that is still under way can have touched a receiver last. */
const settledAfter = 60_000

const isGone = (uuid: string) =>
  getEndpoint(service(), uuid).then(
    () => false,
    (error: unknown) => error instanceof ServiceError && error.code === 'not-found',
  )
