import crypto from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { receiverInPath, receiverUrl } from '#lib/platform/addresses/public-address.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { serviceClient as connection } from '#lib/service/service-client.ts'
import { listWebhookEndpoints as listAtService } from '#lib/service/webhook-endpoints.ts'
import { type EndpointView, listEndpoints } from '../lib/endpoints/endpoints.ts'
import { repairEndpoint } from '../lib/endpoints/repair-endpoint.ts'
import { finishReplacement } from '../lib/endpoints/replace-endpoint.ts'
import { confirmSecret, rotateSecret } from '../lib/endpoints/rotate-secret.ts'
import { reconcile } from '../lib/endpoints/secret-handoff-store.ts'
import { type EndpointChange, endpointChanges } from './endpoint-changes.ts'
import { admin, browser, reason } from './endpoints.ts'
import type { startIngestServer } from './ingest.ts'
import {
  type Change,
  changes,
  findHeld,
  type Held,
  keepSeen,
  made,
  secretOf,
  secrets,
  seen,
} from './interruptible-changes.ts'
import {
  countWrites,
  endProcesses,
  killAtCall,
  killBefore,
  prepareProcesses,
  printed,
  writesSoFar,
} from './killed-processes.ts'
import type { TestService } from './service.ts'
import { startServiceAndIngest } from './service-and-ingest.ts'

let service: TestService
let ingest: Awaited<ReturnType<typeof startIngestServer>>

/**
 * The cases combine every change, every call to the service that it makes, and every failure of that call; the
 * process also dies before each call and each write that changes something. A write follows each call at the latest, so
 * no two steps happen between two deaths.
 * @param walk `usual` has every failure of a call, and a death of each kind: after a call that the service has done, where
 * nothing here knows of it yet. `rest` has the other deaths.
 */
export function walkInterruptions(walk: 'usual' | 'rest') {
  beforeAll(async () => {
    ;({ service, ingest } = await startServiceAndIngest())
    await prepareProcesses()
  })
  afterAll(async () => {
    endProcesses()
    await ingest.stop()
    await service.stop()
  })

  describe.each(Object.entries(changes))('%s', (what, change) => {
    if (walk === 'usual') failInEveryWay(what, change)
    const isUsual = (n: number) => usualDeaths.has(what) && isAfterCall(change, n)
    dieBeforeWrites(what, change, (n) => isUsual(n) === (walk === 'usual'))
    if (walk === 'rest') dieBeforeCalls(what, change)
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
}

function failInEveryWay(what: string, { calls, writes, begin }: Change) {
  it(`asks the service for ${calls.map(([call]) => call).join(', ')}, and writes ${writes} times`, async () => {
    const name = `${what}, whole`
    const change = await begin(name)
    const before = service.seen.length
    const written: number[] = []
    for (let n = 0; n < calls.length; n++)
      service.delayAnswer(
        () => true,
        async () => written.push(await writesSoFar()),
      )
    expect(await countWrites(() => perform(change))).toBe(writes)
    const asked = service.seen.slice(before).map(inShort)
    expect(asked.map((call, n) => [call, written[n]])).toEqual(calls)
    await endsRight(name)
  })

  const failures = { 'is lost': 'lost', 'is 500, undone': 500, 'is 429': 429 } as const
  const answers = calls.flatMap(([call], n) =>
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
}

/** These changes differ in what they write before a call: a receiver, a hand-off, or what is to be deleted. */
const usualDeaths = new Set([
  'creating here',
  'pointing here',
  'rotating elsewhere',
  'finishing to replace',
  'deleting',
])

/** The service has done what it was asked, and nothing here says so before this write. */
const isAfterCall = ({ calls }: Change, write: number) =>
  calls.some(([call, writes]) => call !== 'GET' && writes === write)

function dieBeforeWrites(what: string, { writes, begin }: Change, isWalked: (write: number) => boolean) {
  const walked = Array.from({ length: writes - 1 }, (_, n) => n + 1).filter(isWalked)
  it.each(walked)('survives kill -9 before write %i', async (n) => {
    const name = `${what}, killed before write ${n}`
    expect(await killBefore(n, await begin(name))).toBe('killed')
    await endsRight(name)
  })
}

function dieBeforeCalls(what: string, { calls, begin }: Change) {
  const changing = calls.map(([call], n) => ({ call, n })).filter(({ call }) => call !== 'GET')
  it.each(changing)('survives kill -9 before call $n, $call', async ({ n }) => {
    const name = `${what}, killed before call ${n}`
    const change = await begin(name)
    expect(await killAtCall((kill) => service.dropCall(call(n), 1, kill), change)).toBe('SIGKILL')
    await endsRight(name)
  })
}

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
  const first = await listed(name)
  const wanting = first.filter(({ repair }) => repair !== null)
  expect(wanting.length).toBeLessThanOrEqual(1)
  await nothingIsDiscarded(name)
  for (const endpoint of wanting) await repair(endpoint)
  const repaired = wanting.length > 0 ? await listed(name) : first
  expect(repaired.filter((endpoint) => endpoint.repair !== null)).toEqual([])
  for (const endpoint of repaired) if (endpoint.shownAt) await confirm(endpoint)
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

const isOurs = ({ url }: Held) => url === receiverUrl(receiverInPath(url) ?? '')

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
