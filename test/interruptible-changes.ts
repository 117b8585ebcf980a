import { z } from 'zod'
import { prisma } from '#lib/platform/db/prisma.ts'
import { newReceiverAddress } from '../lib/endpoints/repair-endpoint.ts'
import { replaceEndpoint } from '../lib/endpoints/replace-endpoint.ts'
import { confirmSecret } from '../lib/endpoints/rotate-secret.ts'
import type { EndpointChange } from './endpoint-changes.ts'
import { admin, browser, createElsewhere, createHere, elsewhere, reason } from './endpoints.ts'

// These changes of endpoints are made in whole and interrupted by `interrupted-changes.ts`.

/** The service holds an endpoint with its secret. */
const HeldSchema = z.object({
  uuid: z.string(),
  url: z.string(),
  description: z.string(),
  signing_secret: z.string(),
})
export type Held = z.output<typeof HeldSchema>

export interface Change {
  /** So many writes come before each call. */
  readonly calls: readonly (readonly [call: string, writes: number])[]
  readonly writes: number
  readonly begin: (name: string) => Promise<EndpointChange>
}

/**
 * Each change lists its requests to the service in order, and its writes. `begin` makes an endpoint of this
 * name to change.
 */
export const changes: Record<string, Change> = {
  'creating here': {
    calls: [['POST', 2]],
    writes: 4,
    begin: async (description) => ({
      change: 'createEndpoint',
      form: {
        to: 'here',
        receiverId: newReceiverAddress().receiverId,
        description,
        subscribedEvents: null,
        reason,
      },
    }),
  },
  'rotating here': {
    calls: [
      ['GET', 1],
      ['PATCH secret', 2],
    ],
    writes: 4,
    begin: async (name) => ({
      change: 'rotateSecret',
      form: { endpointUuid: await beginHere(name), reason },
    }),
  },
  'pointing here': {
    calls: [
      ['GET', 1],
      ['PATCH', 2],
      ['PATCH secret', 3],
    ],
    writes: 6,
    begin: async (name) => ({
      change: 'changeEndpoint',
      form: { to: 'here', endpointUuid: await beginElsewhere(name), reason, subscribedEvents: null },
    }),
  },
  'pointing elsewhere': {
    calls: [
      ['GET', 1],
      ['PATCH', 2],
    ],
    writes: 4,
    begin: async (name) => ({
      change: 'changeEndpoint',
      form: {
        to: 'elsewhere',
        url: elsewhere(),
        endpointUuid: await beginHere(name),
        reason,
        subscribedEvents: null,
      },
    }),
  },
  'repairing a lost secret': {
    calls: [
      ['GET', 1],
      ['PATCH secret', 2],
    ],
    writes: 4,
    begin: async (name) => {
      const endpointUuid = await beginHere(name)
      const data = { state: 'rotating', secretDigest: null }
      await prisma().receiver.updateMany({ where: { endpointUuid }, data })
      return { change: 'repairEndpoint', form: { endpointUuid, reason } }
    },
  },
  'repairing an earlier address': {
    calls: [
      ['GET', 1],
      ['PATCH', 1],
    ],
    writes: 2,
    begin: async (name) => {
      const endpointUuid = await beginHere(name)
      const { url } = oneOf(await findHeld(name))
      await patch(endpointUuid, { url: `https://old.example${new URL(url).pathname}` })
      return { change: 'repairEndpoint', form: { endpointUuid, reason } }
    },
  },
  'creating elsewhere': {
    calls: [
      ['GET', 1],
      ['POST', 2],
    ],
    writes: 4,
    begin: async (description) => ({
      change: 'createEndpoint',
      form: { to: 'elsewhere', url: elsewhere(), description, subscribedEvents: null, reason },
    }),
  },
  'rotating elsewhere': {
    calls: [
      ['GET', 1],
      ['PATCH secret', 2],
    ],
    writes: 4,
    begin: async (name) => ({
      change: 'rotateSecret',
      form: { endpointUuid: await beginElsewhere(name), reason },
    }),
  },
  'beginning to replace': {
    calls: [
      ['GET', 1],
      ['POST', 2],
    ],
    writes: 4,
    begin: async (name) => {
      const endpointUuid = await beginElsewhere(name)
      await confirmSecret(admin, { endpointUuid }, browser)
      return {
        change: 'replaceEndpoint',
        form: { endpointUuid, url: oneOf(await findHeld(name)).url, reason },
      }
    },
  },
  'finishing to replace': {
    calls: [
      ['GET', 1],
      ['DELETE', 2],
    ],
    writes: 5,
    begin: async (name) => {
      const endpointUuid = await beginElsewhere(name)
      const form = { endpointUuid, url: elsewhere(), reason }
      const second = keepSeen(await replaceEndpoint(admin, form, browser))
      return { change: 'finishReplacement', form: { endpointUuid: second.endpointUuid, reason } }
    },
  },
  deleting: {
    calls: [['DELETE', 2]],
    writes: 4,
    begin: async (name) => ({
      change: 'deleteEndpoint',
      form: { endpointUuid: await beginHere(name), reason },
    }),
  },
}

/** An admin was shown this secret last, for each endpoint elsewhere. */
export const seen = new Map<string, string>()

export function keepSeen<T extends object>(shown: T): T {
  const { endpointUuid, signingSecret } = ShownSchema.parse(shown)
  if (signingSecret) seen.set(endpointUuid, signingSecret)
  return shown
}
const ShownSchema = z.object({ endpointUuid: z.string(), signingSecret: z.string().nullish() })

/** The test began with these endpoints, as they were then. */
export const made = new Map<string, Held>()

const beginHere = async (name: string): Promise<string> =>
  remember(name, await createHere({ description: name }))

const beginElsewhere = async (name: string): Promise<string> =>
  remember(name, keepSeen(await createElsewhere({ description: name, subscribedEvents: null })))

async function remember(name: string, { endpointUuid }: { readonly endpointUuid: string }) {
  made.set(name, oneOf(await findHeld(name)))
  return endpointUuid
}

export const findHeld = async (name: string) => {
  const held = await listHeld()
  for (const { signing_secret } of held) secrets.add(signing_secret)
  return held.filter(({ description }) => description === name)
}

/** The set holds every secret that ever existed. */
export const secrets = new Set<string>()

const oneOf = ([only]: Held[]) => HeldSchema.parse(only)

export const secretOf = async (endpointUuid: string) =>
  (await listHeld()).find(({ uuid }) => uuid === endpointUuid)?.signing_secret

async function listHeld(): Promise<Held[]> {
  const answer = await fetch(`${process.env.RAMPART_SANDBOX_URL}/_sandbox/endpoints`)
  return z.array(HeldSchema).parse(await answer.json())
}

const patch = (uuid: string, body: object) =>
  fetch(`${process.env.SERVICE_BASE_URL}/merchant/webhook-endpoints/${uuid}`, {
    method: 'PATCH',
    headers: { authorization: String(process.env.SERVICE_API_KEY), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
