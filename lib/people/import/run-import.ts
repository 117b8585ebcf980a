import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { saveToDirectory } from '#lib/identity/users/directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import type { ServiceClient } from '#lib/service/client.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { createUser } from '#lib/service/operations.ts'
import { readUser } from '../lookup/user-reader.ts'
import {
  acquireImport,
  endImport,
  holdImport,
  holdLine,
  ImportEnded,
  markLine,
  nextLines,
  type OpenLine,
  type RunningImport,
  settleLine,
} from './import-store.ts'

/** ASSUMED, in ms: one line follows another at this pace, since the contract names no limits (§8). */
const defaultTimes = { pace: 20, second: 1_000 }

/** The runner reads this many lines at once. */
const page = 50

/** After this many failures of the service in a row a person should look. */
const mostFailures = 5

/**
 * The rest of an import is taken line by line, beside everything else. It ends when nothing is left, when it is
 * stopped or run by another process, or when the service fails again and again.
 */
export async function runImport(
  pool: pg.Pool,
  service: ServiceClient,
  id: string,
  times = defaultTimes,
): Promise<void> {
  const run = await acquireImport(pool, id)
  if (!run) return
  try {
    await takeLines(pool, service, run, times)
  } catch (error) {
    if (!(error instanceof ImportEnded)) throw error
  } finally {
    await run.job.release(pool)
  }
}

async function takeLines(
  pool: pg.Pool,
  service: ServiceClient,
  run: RunningImport,
  { pace, second }: typeof defaultTimes,
): Promise<void> {
  let failures = 0
  for (;;) {
    const lines = await nextLines(pool, run.id, page)
    if (lines.length === 0) return end(pool, run, 'done', null)
    for (const line of lines) {
      const [outcome] = await Promise.all([importLine(pool, service, run, line), sleep(pace)])
      failures = outcome.kind === 'settled' ? 0 : failures + 1
      if (outcome.kind === 'key-refused') return end(pool, run, 'failing', keyRefused)
      if (failures >= mostFailures && !isAsked(outcome)) return end(pool, run, 'failing', serviceFails)
      if (outcome.kind === 'settled') continue
      const asked = outcome.kind === 'later' ? outcome.seconds : null
      await wait(pool, run, (asked ?? Math.min(2 ** failures, 60)) * second)
      // The same line is tried again, or the next one when this one has its result.
      break
    }
  }
}

/** The service names the wait itself, as often as it likes. */
const isAsked = (outcome: LineOutcome) => outcome.kind === 'later' && outcome.seconds !== null

/** The runner keeps its lease while it waits. Throws `ImportEnded`. */
async function wait(pool: pg.Pool, run: RunningImport, milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 5_000) {
    await sleep(Math.min(left, 5_000))
    await inTransaction(pool, (tx) => holdImport(tx, run))
  }
}

const end = (
  pool: pg.Pool,
  run: RunningImport,
  state: 'done' | 'failing',
  why: string | null,
): Promise<void> =>
  inTransaction(pool, async (tx) => {
    await holdImport(tx, run)
    await endImport(tx, run, state, why)
    const outcome = state === 'done' ? 'done' : 'failed'
    const entry = { actor: commandLine, action: 'user.import', target: run.id, outcome } as const
    await recordAudit(tx, entry, noCallSource)
  })

const keyRefused = 'The provider refuses the API key. An admin must give a new one; then go on.'
const serviceFails = 'The provider failed again and again. Go on when it answers.'

/**
 * `later`: the service asked for a pause and did nothing. `unsure`: it may have created the person, and may be in
 * trouble.
 */
type LineOutcome =
  | { readonly kind: 'settled' }
  | { readonly kind: 'unsure' }
  | { readonly kind: 'later'; readonly seconds: number | null }
  | { readonly kind: 'key-refused' }

/** One line is taken as a whole or not at all. Throws `ImportEnded`. */
function importLine(
  pool: pg.Pool,
  service: ServiceClient,
  run: RunningImport,
  line: OpenLine,
): Promise<LineOutcome> {
  const { user_uuid: userUuid } = line
  return userUuid === null
    ? makePerson(pool, service, run, line)
    : readPerson(pool, service, run, line, userUuid)
}

async function readPerson(
  pool: pg.Pool,
  service: ServiceClient,
  run: RunningImport,
  { line, customer_number }: OpenLine,
  userUuid: string,
): Promise<LineOutcome> {
  const reading = await readUser(service, userUuid)
  if (reading.kind === 'later')
    return reading.why === 'key-refused'
      ? { kind: 'key-refused' }
      : { kind: 'later', seconds: reading.seconds }
  return inTransaction(pool, async (tx) => {
    await holdImport(tx, run)
    if (reading.kind !== 'read') await settleLine(tx, run, line, { error: readingErrors[reading.kind] })
    else {
      await saveToDirectory(tx, { ...reading.user, userUuid }, 'import', customer_number)
      await settleLine(tx, run, line, { userUuid })
    }
    return { kind: 'settled' }
  })
}

const readingErrors = {
  'not-found': 'The provider knows nobody by this uuid.',
  refused: 'The provider refused to name this user.',
  unreadable: 'The provider’s answer about this user made no sense.',
} as const

/** The line is marked before the service is asked, so that a runner after a crash asks for nobody twice. */
async function makePerson(
  pool: pg.Pool,
  service: ServiceClient,
  run: RunningImport,
  row: OpenLine,
): Promise<LineOutcome> {
  const { line, email, first_name: firstName, last_name: lastName, country, customer_number } = row
  if (row.state === 'sending') return settle(pool, run, line, { error: interrupted, unsure: true })
  if (email === null || firstName === null || lastName === null || country === null)
    return settle(pool, run, line, { error: 'The line lacks what a new person needs.' })
  await inTransaction(pool, async (tx) => {
    await holdImport(tx, run)
    await markLine(tx, run, line, 'sending')
  })
  const person = { email, firstName, lastName, country }
  const made = await createUser(service, person).catch((error: unknown) => {
    if (error instanceof ServiceError) return error
    throw error
  })
  if (made instanceof ServiceError) return refused(pool, run, line, made)
  const userUuid = made.userUuid.toLowerCase()
  return inTransaction(pool, async (tx) => {
    await holdLine(tx, run)
    const known = { ...person, userUuid, targetAddress: null, status: made.status }
    await saveToDirectory(tx, known, 'import', customer_number)
    await settleLine(tx, run, line, { userUuid })
    return { kind: 'settled' }
  })
}

async function refused(
  pool: pg.Pool,
  run: RunningImport,
  line: number,
  { code, mayHaveTakenEffect, retryAfterSeconds }: ServiceError,
): Promise<LineOutcome> {
  if (mayHaveTakenEffect) {
    await settle(pool, run, line, { error: answerLost, unsure: true })
    return { kind: 'unsure' }
  }
  if (code !== 'too-many' && code !== 'unreachable' && code !== 'unavailable' && code !== 'unauthorized')
    return settle(pool, run, line, { error: code === 'conflict' ? taken : rejected })
  await inTransaction(pool, async (tx) => {
    await holdLine(tx, run)
    await markLine(tx, run, line, 'waiting')
  })
  return code === 'unauthorized' ? { kind: 'key-refused' } : { kind: 'later', seconds: retryAfterSeconds }
}

const settle = (
  pool: pg.Pool,
  run: RunningImport,
  line: number,
  outcome: Parameters<typeof settleLine>[3],
): Promise<LineOutcome> =>
  inTransaction(pool, async (tx) => {
    await holdLine(tx, run)
    await settleLine(tx, run, line, outcome)
    return { kind: 'settled' }
  })

const taken = 'The provider has somebody with this e-mail address already. Import the uuid instead.'
const rejected = 'The provider refused this data.'
const answerLost =
  'The provider may have made this person: its answer was lost. A delivery or a sign-in will name them; if none does, import the line again.'
/** A line has this result when its runner died while it asked the service. */
export const interrupted =
  'The provider may have made this person: the import was interrupted. A delivery or a sign-in will name them; if none does, import the line again.'
