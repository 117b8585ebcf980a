import { AssertionError } from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import { checks } from './checks.ts'
import { createClientOperations } from './client-operations.ts'
import type { Check } from './kit/check.ts'
import { type OpenCheckContext, openCheckContext, type ServiceUnderTest } from './kit/check-context.ts'
import { contract } from './kit/contract.ts'
import { createCall, createHttpOperations } from './kit/http-operations.ts'
import type { Operations } from './kit/operations.ts'
import { findMissing } from './missing.ts'
import { playAllScenarios } from './play-all-scenarios.ts'

/** How a check speaks to the service: raw HTTP, which knows the contract only, or the dashboard's client. */
export const drivers = ['over HTTP', 'through lib/service'] as const

export type Driver = (typeof drivers)[number]

const operationsOf = {
  'over HTTP': (baseUrl, apiKey) => createHttpOperations(createCall(baseUrl, apiKey)),
  'through lib/service': createClientOperations,
} satisfies Record<Driver, (baseUrl: string, apiKey: string) => Operations>

export type CheckResult = { id: string; driver: Driver } & (
  | { kind: 'green' }
  | { kind: 'red'; why: string }
  | { kind: 'left out'; why: string }
)

/** Every check with every driver that it can be run through, in the order of the contract. */
export const checkRuns: readonly { check: Check; driver: Driver }[] = contract.flatMap(({ id }) =>
  checks
    .filter((check) => check.id === id)
    .flatMap((check) =>
      drivers
        .filter((driver) => driver === 'over HTTP' || check.through === 'operations')
        .map((driver) => ({ check, driver })),
    ),
)

/** Runs what can be run against `host`: side by side, then those that move its clock one after another. */
export async function runSuite(
  host: ServiceUnderTest,
  wanted: readonly Driver[] = drivers,
): Promise<CheckResult[]> {
  const missing = await findMissing(host)
  const mine = checkRuns.filter(({ driver }) => wanted.includes(driver))
  const gallery = once(() => playAllScenarios(host))
  const verdicts = new Map<(typeof mine)[number], CheckResult>()

  async function judge(one: (typeof mine)[number]) {
    const { check, driver } = one
    const why = check.needs.map((need) => missing.get(need)).find(Boolean)
    const verdict = why
      ? { kind: 'left out' as const, why }
      : await run(check, openCheckContext(host, operationsOf[driver], gallery))
    verdicts.set(one, { id: check.id, driver, ...verdict })
  }

  const movesClock = ({ check }: (typeof mine)[number]) => check.needs.includes('clock')
  const queue = mine.filter((one) => !movesClock(one)).values()
  const worker = async () => {
    for (const one of queue) await judge(one)
  }
  await Promise.all(Array.from({ length: maxConcurrent }, worker))
  for (const one of mine.filter(movesClock)) await judge(one)
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

async function run(check: Check, { world, close }: OpenCheckContext) {
  try {
    await inTime(check.run(world))
    return { kind: 'green' as const }
  } catch (error) {
    return { kind: 'red' as const, why: reasonOf(error) }
  } finally {
    await close()
  }
}

/** Milliseconds that a check may take, far above what any takes. */
const limitMs = 60_000

/** Whoever was in time ends the timer. */
const unlessLate = () => undefined

async function inTime(work: Promise<unknown>) {
  const timer = new AbortController()
  const late = setTimeout(limitMs, 'late', { signal: timer.signal })
  late.catch(unlessLate)
  try {
    if ((await Promise.race([work, late])) === 'late') throw new Error(`not done after ${limitMs / 1000} s`)
  } finally {
    timer.abort()
  }
}

/** What was expected and what came, in one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const what = error.message.replace(/\s+/g, ' ').slice(0, 300)
  if (!(error instanceof AssertionError) || error.generatedMessage || error.operator === 'fail') return what
  const [expected, came] = [error.expected, error.actual].map((value) => inspect(value, { breakLength: 200 }))
  return `${what}: expected ${expected}, came ${came}`
}
