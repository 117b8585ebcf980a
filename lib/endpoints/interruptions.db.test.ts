import crypto from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { receiverInPath, receiverUrl } from '#lib/platform/addresses/public-address.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { serviceClient as connection } from '#lib/service/service-client.ts'
import { listWebhookEndpoints as listAtService } from '#lib/service/webhook-endpoints.ts'
import { type EndpointChange, endpointChanges } from '../../test/endpoint-changes.ts'
import { admin, browser, createElsewhere, createHere, elsewhere, reason } from '../../test/endpoints.ts'
import type { startIngestServer } from '../../test/ingest.ts'
import {
  countWrites,
  endProcesses,
  killBefore,
  prepareProcesses,
  printed,
  takeProcess,
} from '../../test/killed-processes.ts'
import type { TestService } from '../../test/service.ts'
import { startServiceAndIngest } from '../../test/service-and-ingest.ts'
import { type EndpointView, listEndpoints } from './endpoints.ts'
import { newReceiverAddress, repairEndpoint } from './repair-endpoint.ts'
import { finishReplacement, replaceEndpoint } from './replace-endpoint.ts'
import { confirmSecret, rotateSecret } from './rotate-secret.ts'
import { reconcile } from './secret-handoff-store.ts'

/**
 * The cases combine every change, every call to the service that it makes, and every failure of that call; the
 * process also dies before each call and each write that changes something. A write follows each call at the latest, so
 * no two steps happen between two deaths.
 */

let service: TestService
let ingest: Awaited<ReturnType<typeof startIngestServer>>

beforeAll(async () => {
  ;({ service, ingest } = await startServiceAndIngest())
  await prepareProcesses()
})
afterAll(async () => {
  endProcesses()
  await ingest.stop()
  await service.stop()
})

/** The service holds an endpoint with its secret. */
const HeldSchema = z.object({
  uuid: z.string(),
  url: z.string(),
  description: z.string(),
  signing_secret: z.string(),
})
type Held = z.output<typeof HeldSchema>

interface Change {
  readonly calls: readonly string[]
  readonly writes: number
  readonly begin: (name: string) => Promise<EndpointChange>
}

/**
 * Each change lists its requests to the service in order, and its number of writes. `begin` makes an endpoint of this
 * name to change.
 */
const changes: Record<string, Change> = {
  'creating here': {
    calls: ['POST'],
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
    calls: ['GET', 'PATCH secret'],
    writes: 4,
    begin: async (name) => ({
      change: 'rotateSecret',
      form: { endpointUuid: await beginHere(name), reason },
    }),
  },
  'pointing here': {
    calls: ['GET', 'PATCH', 'PATCH secret'],
    writes: 6,
    begin: async (name) => ({
      change: 'changeEndpoint',
      form: { to: 'here', endpointUuid: await beginElsewhere(name), reason, subscribedEvents: null },
    }),
  },
  'pointing elsewhere': {
    calls: ['GET', 'PATCH'],
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
    calls: ['GET', 'PATCH secret'],
    writes: 4,
    begin: async (name) => {
      const endpointUuid = await beginHere(name)
      const data = { state: 'rotating', secretDigest: null }
      await prisma().receiver.updateMany({ where: { endpointUuid }, data })
      return { change: 'repairEndpoint', form: { endpointUuid, reason } }
    },
  },
  'repairing an earlier address': {
    calls: ['GET', 'PATCH'],
    writes: 2,
    begin: async (name) => {
      const endpointUuid = await beginHere(name)
      const { url } = oneOf(await findHeld(name))
      await patch(endpointUuid, { url: `https://old.example${new URL(url).pathname}` })
      return { change: 'repairEndpoint', form: { endpointUuid, reason } }
    },
  },
  'creating elsewhere': {
    calls: ['GET', 'POST'],
    writes: 4,
    begin: async (description) => ({
      change: 'createEndpoint',
      form: { to: 'elsewhere', url: elsewhere(), description, subscribedEvents: null, reason },
    }),
  },
  'rotating elsewhere': {
    calls: ['GET', 'PATCH secret'],
    writes: 4,
    begin: async (name) => ({
      change: 'rotateSecret',
      form: { endpointUuid: await beginElsewhere(name), reason },
    }),
  },
  'beginning to replace': {
    calls: ['GET', 'POST'],
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
    calls: ['GET', 'DELETE'],
    writes: 5,
    begin: async (name) => {
      const endpointUuid = await beginElsewhere(name)
      const form = { endpointUuid, url: elsewhere(), reason }
      const second = keepSeen(await replaceEndpoint(admin, form, browser))
      return { change: 'finishReplacement', form: { endpointUuid: second.endpointUuid, reason } }
    },
  },
  deleting: {
    calls: ['DELETE'],
    writes: 4,
    begin: async (name) => ({
      change: 'deleteEndpoint',
      form: { endpointUuid: await beginHere(name), reason },
    }),
  },
}

describe.each(Object.entries(changes))('%s', (what, { calls, writes, begin }) => {
  it(`asks the service for ${calls.join(', ')}, and writes ${writes} times`, async () => {
    const name = `${what}, whole`
    const change = await begin(name)
    const before = service.seen.length
    expect(await countWrites(() => perform(change))).toBe(writes)
    expect(service.seen.slice(before).map(inShort)).toEqual(calls)
    await endsRight(name)
  })

  const failures = { 'is lost': 'lost', 'is 500, undone': 500, 'is 429': 429 } as const
  const answers = calls.flatMap((call, n) =>
    Object.entries(failures)
      // A read that fails in any way has read nothing.
      .filter(([, failure]) => call !== 'GET' || failure === 429)
      .map(([words, failure]) => ({ call, n, words, failure })),
  )
  it.each(answers)('survives that answer $n to $call $words', async ({ n, failure, words }) => {
    const name = `${what}, answer ${n} ${words}`
    const change = await begin(name)
    if (failure === 'lost') service.loseAnswer(call(n))
    else service.answerWith(failure, call(n))
    await isReported(name, () => perform(change).catch(() => undefined))
    await endsRight(name)
  })

  const changing = calls.map((call, n) => ({ call, n })).filter(({ call }) => call !== 'GET')
  it.each(changing)('survives kill -9 before call $n, $call', async ({ n }) => {
    const name = `${what}, killed before call ${n}`
    const change = await begin(name)
    const { child, exited } = await takeProcess()
    service.dropCall(call(n), 1, () => child.kill('SIGKILL'))
    child.send(change)
    await exited
    expect(child.signalCode).toBe('SIGKILL')
    await endsRight(name)
  })

  it.each(Array.from({ length: writes - 1 }, (_, n) => n + 1))(
    'survives kill -9 before write %i',
    async (n) => {
      const name = `${what}, killed before write ${n}`
      expect(await killBefore(n, await begin(name))).toBe('killed')
      await endsRight(name)
    },
  )
})

it('leaves no secret in the database (audit and digests included) nor in the logs', async () => {
  const tables = await prisma().$queryRaw<{ name: string }[]>`
    SELECT quote_ident(relname) AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
  const rows = await Promise.all(
    tables.map(({ name }) => prisma().$queryRawUnsafe(`SELECT ${name}::text AS row FROM ${name}`)),
  )
  const kept = JSON.stringify(rows) + printed()
  expect(kept).toContain('endpoint.replace')
  for (const secret of [...secrets, ...seen.values()])
    for (const form of ['utf8', 'hex', 'base64'] as const)
      expect(kept.includes(Buffer.from(secret).toString(form))).toBe(false)
  expect(secrets.size).toBeGreaterThan(30)
})

/** A change that the service made is never called failed, and all admins are told. */
async function isReported(name: string, work: () => Promise<unknown>) {
  const [before, reported] = [await findHeld(name), await prisma().adminNotice.count()]
  await work()
  if (JSON.stringify(await findHeld(name)) === JSON.stringify(before)) return
  expect(await prisma().audit.findFirst({ orderBy: { id: 'desc' } })).not.toMatchObject({ outcome: 'failed' })
  expect(await prisma().adminNotice.count()).toBeGreaterThan(reported)
}

/** After any failure nothing is discarded, at most one click is needed, and then everything is right. */
async function endsRight(name: string) {
  await nothingIsDiscarded(name)
  await later()
  const wanting = (await listed(name)).filter(({ repair }) => repair !== null)
  expect(wanting.length).toBeLessThanOrEqual(1)
  await nothingIsDiscarded(name)
  for (const endpoint of wanting) await repair(endpoint)
  expect((await listed(name)).filter((endpoint) => endpoint.repair !== null)).toEqual([])
  for (const endpoint of await listed(name)) if (endpoint.shownAt) await confirm(endpoint)
  await allIsRight(name)
}

async function nothingIsDiscarded(name: string) {
  for (const held of await findHeld(name)) {
    if (isOurs(held)) expect([200, 503]).toContain(await deliver(held))
  }
}

/** The page offers this one click. */
async function repair({ uuid: endpointUuid, repair }: EndpointView) {
  const form = { endpointUuid, reason }
  if (repair === 'not-seen') keepSeen(await rotateSecret(admin, form, browser))
  else if (repair === 'half-replaced') await finishReplacement(admin, form, browser)
  else await repairEndpoint(admin, form, browser)
}

/**
 * The admin has deployed the secret that was shown and confirms it. An admin who saw none rotates it first, as the
 * page says.
 */
async function confirm({ uuid: endpointUuid, replaces }: EndpointView) {
  if (!seen.has(endpointUuid) || seen.get(endpointUuid) !== (await secretOf(endpointUuid)))
    keepSeen(await rotateSecret(admin, { endpointUuid, reason }, browser))
  if (replaces) await finishReplacement(admin, { endpointUuid, reason }, browser)
  else await confirmSecret(admin, { endpointUuid }, browser)
}

/**
 * At most one endpoint has this name. Its deliveries here are accepted; an endpoint elsewhere has the last secret
 * that an admin has seen; a replaced secret opens nothing.
 */
async function allIsRight(name: string) {
  await later()
  const held = await findHeld(name)
  expect(held.length).toBeLessThanOrEqual(1)
  expect((await listed(name)).map(({ uuid, repair, shownAt }) => ({ uuid, repair, shownAt }))).toEqual(
    held.map(({ uuid }) => ({ uuid, repair: null, shownAt: null })),
  )
  // No page would ask about such a hand-off, and the endpoint that it replaces would wait for ever.
  const here = { in: held.filter(isOurs).map(({ uuid }) => uuid) }
  expect(await prisma().secretHandoff.count({ where: { endpointUuid: here, state: 'shown' } })).toBe(0)
  for (const one of held) {
    if (isOurs(one)) expect(await deliver(one)).toBe(200)
    else expect(seen.get(one.uuid)).toBe(one.signing_secret)
  }
  const before = made.get(name)
  if (!before || held.some((one) => one.signing_secret === before.signing_secret)) return
  for (const { url } of [before, ...held].filter(isOurs))
    expect(await deliver({ ...before, url })).not.toBe(200)
}

/** The list is as a page shows it after the watcher has looked. */
async function listed(name: string) {
  await reconcile(await listAtService(connection()), new Date())
  return (await listEndpoints(admin)).filter(({ description }) => description === name)
}

/** An admin was shown this secret last, for each endpoint elsewhere. */
const seen = new Map<string, string>()

function keepSeen<T extends object>(shown: T): T {
  const { endpointUuid, signingSecret } = ShownSchema.parse(shown)
  if (signingSecret) seen.set(endpointUuid, signingSecret)
  return shown
}
const ShownSchema = z.object({ endpointUuid: z.string(), signingSecret: z.string().nullish() })

/** The test began with these endpoints, as they were then. */
const made = new Map<string, Held>()

const beginHere = async (name: string): Promise<string> =>
  remember(name, await createHere({ description: name }))

const beginElsewhere = async (name: string): Promise<string> =>
  remember(name, keepSeen(await createElsewhere({ description: name, subscribedEvents: null })))

async function remember(name: string, { endpointUuid }: { readonly endpointUuid: string }) {
  made.set(name, oneOf(await findHeld(name)))
  return endpointUuid
}

const isOurs = ({ url }: Held) => url === receiverUrl(receiverInPath(url) ?? '')

const findHeld = async (name: string) => {
  const held = z.array(HeldSchema).parse(await service.control('/endpoints'))
  for (const { signing_secret } of held) secrets.add(signing_secret)
  return held.filter(({ description }) => description === name)
}

/** The set holds every secret that ever existed. */
const secrets = new Set<string>()

const oneOf = ([only]: Held[]) => HeldSchema.parse(only)

const secretOf = async (endpointUuid: string) =>
  z
    .array(HeldSchema)
    .parse(await service.control('/endpoints'))
    .find(({ uuid }) => uuid === endpointUuid)?.signing_secret

const patch = (uuid: string, body: object) =>
  fetch(`${service.baseUrl}/merchant/webhook-endpoints/${uuid}`, {
    method: 'PATCH',
    headers: { authorization: service.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The delivery is as the service makes it (§5.5). Returns the status of the answer. */
async function deliver({ url, signing_secret }: Held): Promise<number> {
  const body = JSON.stringify({ type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: {} })
  const headers = { authorization: `API-Key ${signing_secret}`, 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body })).status
}

/** The rows look as if the change had begun a while ago. */
async function later() {
  const data = { updatedAt: new Date(Date.now() - 120_000) }
  await prisma().receiver.updateMany({ data })
  await prisma().secretHandoff.updateMany({ data })
}

const perform = async ({ change, form }: EndpointChange) =>
  keepSeen(await endpointChanges[change](admin, form as never, browser))

/** "PATCH /merchant/webhook-endpoints/…/secret" becomes "PATCH secret". */
const inShort = (route: string) =>
  route.replace(/ .*?(\/secret)?$/, (_all, secret) => (secret ? ' secret' : ''))

/** Calls are counted from now on; this matches the call with this number. */
function call(n: number) {
  let seen = -1
  return () => {
    seen += 1
    return seen === n
  }
}
