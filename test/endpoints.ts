import crypto from 'node:crypto'
import { z } from 'zod'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { findEndpoint } from '../lib/endpoints/endpoints.ts'
import { newReceiverAddress } from '../lib/endpoints/repair-endpoint.ts'
import { digestSecret } from '../lib/platform/keys/digests-and-seals.ts'
import { auditAbout } from './audit-reason.ts'
import { callerWith, newBrowser } from './callers.ts'
import type { Match, TestService } from './service.ts'

// Tests of endpoints share these steps and checks.

export const admin = callerWith('admin')
export const browser = newBrowser()
export const reason = 'a test wants it'
export const elsewhere = () => `https://merchant.example/${crypto.randomUUID()}`

export const posting: Match = (route) => route === 'POST /merchant/webhook-endpoints'
export const rotating: Match = (route) => route.startsWith('PATCH ') && route.endsWith('/secret')
export const patching: Match = (route) => route.startsWith('PATCH ') && !route.endsWith('/secret')
export const deleting: Match = (route) => route.startsWith('DELETE ')

interface Wanted {
  readonly caller?: typeof admin
  readonly description?: string
  readonly subscribedEvents?: EventType[] | null
}

export async function createHere({
  caller = admin,
  description = 'Here',
  subscribedEvents = null,
  receiverId = newReceiverAddress().receiverId,
}: Wanted & { readonly receiverId?: string } = {}) {
  const form = { to: 'here', receiverId, description, subscribedEvents, reason } as const
  return { receiverId, ...(await createEndpoint(caller, form, browser)) }
}

export function createElsewhere({
  caller = admin,
  description = 'There',
  subscribedEvents = ['KYC'],
  url = elsewhere(),
}: Wanted & { readonly url?: string } = {}) {
  const form = { to: 'elsewhere', url, description, subscribedEvents, reason } as const
  return createEndpoint(caller, form, browser)
}

/** The service holds this endpoint, secret included. */
export async function atService(service: TestService, where: { uuid: string } | { url: string }) {
  const [name, value] = Object.entries(where)[0] ?? ['', '']
  return HeldSchema.parse(await service.control('/endpoints')).find((endpoint) => endpoint[name] === value)
}
const HeldSchema = z.array(
  z.looseObject({ uuid: z.string(), url: z.string(), status: z.string(), signing_secret: z.string() }),
)

/** The answer is true when this receiver would accept a delivery with the service's present signature. */
export async function letsIn(service: TestService, receiverId: string, uuid: string): Promise<boolean> {
  const receiver = await prisma().receiver.findUniqueOrThrow({ where: { id: receiverId } })
  const held = await atService(service, { uuid })
  if (!held || !receiver.secretDigest) return false
  return receiver.state === 'active' && digestSecret(held.signing_secret).digest.equals(receiver.secretDigest)
}

export const stateOf = async (id: string) => (await prisma().receiver.findUnique({ where: { id } }))?.state

export const repairOf = async (uuid: string) => (await findEndpoint(admin, uuid))?.repair

/** The function moves the start of unfinished changes into the past. */
export const later = () =>
  prisma().receiver.updateMany({ data: { updatedAt: new Date(Date.now() - 60_000) } })

/** Each change ends with an entry that follows the entry of its beginning. */
export const audited = async (target: string) =>
  (await auditAbout(target)).filter(({ outcome }) => outcome !== 'begun')
