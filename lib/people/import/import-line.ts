import 'server-only'
import type pg from 'pg'
import { saveToDirectory } from '#lib/identity/users/save-to-directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import type { ServiceClient } from '#lib/service/client.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { createUser } from '#lib/service/users.ts'
import { readUser } from '../lookup/read-user.ts'
import { holdImport, markLine, type OpenLine, type RunningImport, settleLine } from './import-store.ts'

/**
 * What taking a line came to. `later`: the service wants to be left alone and did nothing. `unsure`: it may have made the
 * person, and may be in trouble.
 */
export type LineOutcome =
  | { readonly kind: 'settled' }
  | { readonly kind: 'unsure' }
  | { readonly kind: 'later'; readonly seconds: number | null }
  | { readonly kind: 'key-refused' }

/** Takes one line, whole or not at all. Throws `ImportEnded`. */
export function importLine(
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
  'not-found': 'The service knows nobody by this uuid.',
  refused: 'The service refused to name this user.',
  unreadable: 'The service’s answer about this user made no sense.',
} as const

/** The line is marked before the service is asked, so that whoever goes on after a crash asks for nobody twice. */
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
    await holdImport(tx, run)
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
    await holdImport(tx, run)
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
    await holdImport(tx, run)
    await settleLine(tx, run, line, outcome)
    return { kind: 'settled' }
  })

const taken = 'The service has somebody with this e-mail address already. Import the uuid instead.'
const rejected = 'The service refused this data.'
const answerLost =
  'The service may have made this person: its answer was lost. A delivery or a sign-in will name them; if none does, import the line again.'
const interrupted =
  'The service may have made this person: the import was interrupted. A delivery or a sign-in will name them; if none does, import the line again.'
