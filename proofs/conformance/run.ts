import { AssertionError } from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import { z } from 'zod'
import { accountEventChecks } from './checks/account-events.checks.ts'
import { credentialChecks } from './checks/credentials.checks.ts'
import { endpointOperationChecks } from './checks/endpoint-operations.checks.ts'
import { deliveryHeaderChecks, endpointStateChecks, retryChecks } from './checks/endpoint-states.checks.ts'
import { callChecks, errorChecks, limitChecks } from './checks/errors.checks.ts'
import { eventChecks } from './checks/events.checks.ts'
import { signInChecks, signInMessageChecks, userAndSessionChecks } from './checks/sign-in.checks.ts'
import { statusChecks, transactionChecks } from './checks/transactions.checks.ts'
import { webhookEndpointChecks } from './checks/webhook-endpoints.checks.ts'
import { createClientOperations } from './client-operations.ts'
import {
  type AllEvents,
  type Check,
  type Need,
  type OpenCheckContext,
  openCheckContext,
  type ServiceUnderTest,
} from './kit/check-context.ts'
import { contract } from './kit/contract.ts'
import { createCall, createHttpOperations, type Operations } from './kit/operations.ts'
import { createPatience, type Patience } from './kit/receiver.ts'
import { EndpointsSchema, type Envelope } from './kit/shapes.ts'

/** A check speaks to the service over raw HTTP, which knows only the contract, or through the dashboard's client. */
const drivers = ['over HTTP', 'through lib/service'] as const

type Driver = (typeof drivers)[number]

const operationsOf = {
  'over HTTP': (baseUrl, apiKey) => createHttpOperations(createCall(baseUrl, apiKey)),
  'through lib/service': createClientOperations,
} satisfies Record<Driver, (baseUrl: string, apiKey: string) => Operations>

export type CheckResult = { id: string; driver: Driver } & (
  | { kind: 'green' }
  | { kind: 'red'; why: string }
  | { kind: 'left out'; why: string }
)

/** Each rule of the contract has one check. */
export const checks: readonly Check[] = [
  userAndSessionChecks,
  webhookEndpointChecks,
  endpointStateChecks,
  statusChecks,
  callChecks,
  signInChecks,
  endpointOperationChecks,
  credentialChecks,
  signInMessageChecks,
  deliveryHeaderChecks,
  eventChecks,
  transactionChecks,
  accountEventChecks,
  retryChecks,
  errorChecks,
  limitChecks,
].flat()

/** Every check runs with every driver that fits it, in the order of the contract. */
export const checkRuns: readonly { check: Check; driver: Driver }[] = contract.flatMap(({ id }) =>
  checks
    .filter((check) => check.id === id)
    .flatMap((check) =>
      drivers
        .filter((driver) => driver === 'over HTTP' || check.through === 'operations')
        .map((driver) => ({ check, driver })),
    ),
)

/**
 * The suite runs what can be run against `host`: checks side by side, then those that move its clock one after another. The
 * rest is left out when checks fail and none has been green for half a minute. `tell` gets each verdict at once.
 */
export async function runSuite(
  host: ServiceUnderTest,
  wanted: readonly Driver[] = drivers,
  tell: (verdict: CheckResult, done: number, of: number) => void = () => {},
): Promise<CheckResult[]> {
  const hope = createHope()
  const missing = await findMissing(host)
  const mine = checkRuns.filter(({ driver }) => wanted.includes(driver))
  const patience = createPatience()
  const gallery = once(() => playAllScenarios(host, patience))
  const verdicts = new Map<(typeof mine)[number], CheckResult>()

  async function judge(one: (typeof mine)[number]) {
    const { check, driver } = one
    const why = hope.lost() ?? check.needs.map((need) => missing.get(need)).find(Boolean)
    const verdict = why
      ? { kind: 'left out' as const, why }
      : await run(check, openCheckContext(host, operationsOf[driver], gallery, patience), hope)
    const result = { id: check.id, driver, ...verdict }
    hope.note(result)
    verdicts.set(one, result)
    tell(result, verdicts.size, mine.length)
  }

  const movesClock = ({ check }: (typeof mine)[number]) => check.needs.includes('clock')
  const queue = mine.filter((one) => !movesClock(one)).values()
  const worker = async () => {
    for (const one of queue) await judge(one)
  }
  await Promise.all(Array.from({ length: maxConcurrent }, worker))
  for (const one of mine.filter(movesClock)) await judge(one)
  hope.end()
  return mine.flatMap((one) => verdicts.get(one) ?? [])
}

const maxConcurrent = 8

function once<Result>(make: () => Promise<Result>) {
  let made: Promise<Result> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The run is given up when checks fail and none has been green for half a minute. */
interface Hope {
  note(verdict: CheckResult): void
  /** The text says why the rest is left out, once it is. */
  lost(): string | undefined
  /** The promise settles when the run is given up. */
  readonly gone: Promise<'gone'>
  end(): void
}

function createHope(): Hope {
  const { promise: gone, resolve } = Promise.withResolvers<'gone'>()
  let [lastGreen, firstRed, why] = [Date.now(), '', '']
  const timer = setInterval(() => {
    if (!firstRed || Date.now() < lastGreen + hopelessMs) return
    why = `nothing was green for ${hopelessMs / 1000} s, since: ${firstRed}`
    clearInterval(timer)
    resolve('gone')
  }, 200)
  return {
    gone,
    lost: () => why || undefined,
    note(verdict) {
      if (verdict.kind === 'red') firstRed ||= verdict.why
      if (verdict.kind === 'green') [lastGreen, firstRed] = [Date.now(), '']
    },
    end: () => clearInterval(timer),
  }
}

const hopelessMs = 30_000

async function run(check: Check, { world, close }: OpenCheckContext, hope: Hope) {
  try {
    const work = inTime(check.run(world))
    if ((await Promise.race([work, hope.gone])) !== 'gone') return { kind: 'green' as const }
    work.catch(unlessLate)
    return { kind: 'left out' as const, why: hope.lost() ?? '' }
  } catch (error) {
    return { kind: 'red' as const, why: reasonOf(error) }
  } finally {
    // A service that no longer answers cannot be cleaned up.
    await Promise.race([close(), setTimeout(5_000, undefined, { ref: false })])
  }
}

/** A check may take this many milliseconds, far more than any needs. */
const limitMs = 60_000

/** A check that was in time ends the timer. */
const unlessLate = () => undefined

async function inTime(work: Promise<unknown>) {
  const timer = new AbortController()
  const late = setTimeout(limitMs, 'late', { signal: timer.signal, ref: false })
  late.catch(unlessLate)
  try {
    if ((await Promise.race([work, late])) === 'late') throw new Error(`not done after ${limitMs / 1000} s`)
  } finally {
    timer.abort()
  }
}

/** The line says what was expected and what came. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const because = cause instanceof Error ? `: ${'code' in cause ? cause.code : cause.message}` : ''
  const what = `${error.message}${because}`.replace(/\s+/g, ' ').slice(0, 300)
  if (!(error instanceof AssertionError) || error.generatedMessage || error.operator === 'fail') return what
  const [expected, came] = [error.expected, error.actual].map((value) => inspect(value, { breakLength: 200 }))
  return `${what}: expected ${expected}, came ${came}`
}

/** The map has the needs that this host lacks, each with the reason. */
async function findMissing(host: ServiceUnderTest): Promise<Map<Need, string>> {
  const missing = new Map<Need, string>()
  if (!host.controlUrl) {
    missing.set('control', 'the service has to be told what to do: give --control-url')
    missing.set('clock', 'its clock has to be moved: give --control-url')
    missing.set('mailbox', 'the code has to be read: give --control-url')
  }
  if (!(await reachesUs(host).catch(cannotTell)))
    missing.set('receiver', 'the service cannot reach a receiver on this machine')
  return missing
}

/** The answer is true when the service runs on this machine and accepts plain HTTP for a receiver here (§8 says HTTPS). */
export async function reachesUs({ baseUrl, apiKey }: ServiceUnderTest): Promise<boolean> {
  if (!loopbackHosts.has(new URL(baseUrl).hostname)) return false
  const service = createHttpOperations(createCall(baseUrl, apiKey, 5_000))
  const probe = { url: 'http://127.0.0.1:9/hook', description: 'Conformance, probing' }
  const { status, body } = await service.createEndpoint(probe)
  if (status < 200 || status >= 300) return false
  // The checks find what the answer lacks.
  const named = NamedSchema.safeParse(body).data
  const listed = named ? [named] : EndpointsSchema.safeParse((await service.listEndpoints()).body).data
  for (const one of listed ?? [])
    if (one === named || (one.url === probe.url && one.description === probe.description))
      await service.deleteEndpoint(one.uuid)
  return true
}

const NamedSchema = z.looseObject({ uuid: z.guid() })

/** The checks find out when a service does not answer here. */
const cannotTell = () => false

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The function plays all scenarios once, at the same time, and waits for every event of them. */
async function playAllScenarios(host: ServiceUnderTest, patience: Patience): Promise<AllEvents> {
  const { world, close } = openCheckContext(host, undefined, undefined, patience)
  try {
    const { control } = world
    const person = await world.createPerson()
    const receiver = await world.startReceiver()
    await world.createEndpoint({ url: receiver.url })
    const plays = await Promise.all(
      (await control.scenarios()).map(({ name }) => control.play(name, person.uuid)),
    )
    const count = plays.reduce((sum, { events }) => sum + events, 0)
    // Events about the person's company carry its uuid. Events of other checks are about strangers, or marked.
    const isPlayed = ({ type, uuid, data }: Envelope) =>
      uuid === person.uuid || (type !== 'otpNotification' && !('conformance' in data))
    const envelopes = await receiver.collect(isPlayed, count)
    return {
      person,
      transactions: plays.flatMap((play) => play.transaction_uuid ?? []),
      envelopes,
      of: (type, subType) =>
        envelopes.filter((one) => one.type === type && (subType === undefined || one.subType === subType)),
    }
  } finally {
    await close()
  }
}
