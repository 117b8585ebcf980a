import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import type { Role } from '#lib/access/rules/roles.ts'
import type { Information } from '#lib/access/rules/visibility.ts'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { saveToDirectory } from '#lib/identity/users/directory.ts'
import { getPerson } from '#lib/people/get-person.ts'
import { listPeople } from '#lib/people/list-people.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { findSubjects } from '#lib/search/find-subjects.ts'
import { getTransaction } from '#lib/transactions/get-transaction.ts'
import { recordFields } from '../lib/access/rules/records.ts'
import { listEndpoints } from '../lib/endpoints/endpoints.ts'
import { getGap } from '../lib/endpoints/gaps/gaps.ts'
import { listOwnAccounts } from '../lib/people/own/get-profile.ts'
import { getOwnTransaction } from '../lib/people/own/own-transactions.ts'
import { getSubject } from '../lib/timeline/subject-details.ts'
import { nameUser } from '../lib/transactions/filters.ts'
import { addNote, listNotes } from '../lib/transactions/notes/notes.ts'
import { callerWith, newBrowser } from './callers.ts'
import { createHere } from './endpoints.ts'
import { foldWaiting, takeAllShards } from './folding.ts'
import { addReceiver } from './ingest.ts'
import { aPerson, bodiesOf } from './sample-people.ts'
import { startService, type TestService } from './service.ts'

// The table of fields decides what leaves the server. The test asks for each of its rows, and no view may contain what it
// hides.

const browser = newBrowser()
const gapId = uuidv7()
const sample = aPerson()
let person = sample
let company = ''
let service: TestService

beforeAll(async () => {
  service = await startService()
  person = { ...sample, userUuid: await madeAtService() }
  const user = { ...person, country: 'ES', status: 'FULL_USER' }
  await inTransaction(pool(), (tx) => saveToDirectory(tx, user, 'sign-in', person.number))
  await service.control('/scenarios', { name: 'kyb', user_uuid: person.userUuid, speed: 0 })
  company = (await getPerson(callerWith('support'), person.userUuid, browser))?.companies[0] ?? ''
  const { id: receiverId } = await addReceiver(pool())
  const receivedAt = (index: number) => new Date(Date.now() - 60_000 + index * 10)
  await appendPastDeliveries(
    bodiesOf(person).map((body, index) => ({
      receivedAt: receivedAt(index),
      receiverId,
      body: Buffer.from(JSON.stringify(body)),
    })),
    pool(),
  )
  await foldWaiting(await takeAllShards(pool()))
  const note = { subject: `transaction:${person.transactions[0]}`, text: 'Rang twice', ticket: undefined }
  await addNote(callerWith('support'), note, browser)
  await pool().query(
    `INSERT INTO gap (id, kind, about, began_at) VALUES ($1, 'down', '', now() - interval '1 hour')`,
    [gapId],
  )
  await createHere()
})
afterAll(() => service.stop())

async function madeAtService(): Promise<string> {
  const { serviceBaseUrl, serviceApiKey } = env()
  const user = {
    email: sample.email,
    first_name: sample.firstName,
    last_name: sample.lastName,
    country: 'ES',
    target_address: sample.targetAddress,
    date_of_birth: '1990-02-03',
    address: { address_line_1: '7 Calle Mayor', post_code: '28013', city: 'Madrid', country: 'ES' },
  }
  const made = await fetch(`${serviceBaseUrl.href}/user`, {
    method: 'POST',
    headers: { authorization: serviceApiKey, 'content-type': 'application/json' },
    body: JSON.stringify(user),
  })
  return z.object({ user_uuid: z.string() }).parse(await made.json()).user_uuid
}

/** A role sees these views of the person. */
async function viewsOfPerson(role: Role) {
  const caller = callerWith(role)
  const page = await getPerson(caller, person.userUuid, browser)
  const [ofCompany, listed, found, byNumber, name] = await Promise.all([
    getPerson(caller, company, browser),
    listPeople(caller, { q: person.email }),
    findSubjects(caller, person.email),
    findSubjects(caller, person.number),
    nameUser(caller, person.userUuid),
  ])
  const profile = page?.profile.kind === 'read' ? page.profile : null
  return {
    person: page?.person,
    born: profile?.dateOfBirth,
    address: profile?.address,
    wallets: page?.wallets,
    companies: page?.companies,
    ofCompany: ofCompany?.people,
    // The status comes from events, which have a table of their own.
    listed: listed.rows.map(({ standings: _, ...rest }) => rest),
    found: [...found.people, ...byNumber.people].map(({ why: { field: _, ...why }, ...rest }) => ({
      ...rest,
      why,
    })),
    name,
  }
}

const receivers = async (role: Role) =>
  (await listEndpoints(callerWith(role))).map(({ receiver }) => receiver)

/** The list holds a view of each record and the record's name. */
async function everyView() {
  const [support, owner] = [callerWith('support'), callerWith('end-user', { userUuid: person.userUuid })]
  const [first = '', second = ''] = person.transactions
  await Promise.all([
    getTransaction(support, first),
    getTransaction(support, second),
    getOwnTransaction(owner, first),
    listOwnAccounts(owner),
    getSubject(support, `bank-account:${person.account}`),
    listNotes(support, `transaction:${first}`),
    getGap(support, gapId),
    receivers('support'),
    viewsOfPerson('support'),
  ])
}

type Rows = Record<string, Information>
const records: readonly (readonly [string, Rows])[] = Object.entries(recordFields)
const kept = structuredClone(recordFields)
afterEach(() => {
  for (const [name, rows] of Object.entries(kept))
    for (const [path, sort] of Object.entries(rows)) rule(name, path, () => sort)
})

/** `get` decides the sort of a field from now on. */
const rule = (name: string, path: string, get: () => Information) => {
  const rows = records.find(([record]) => record === name)?.[1] ?? {}
  Object.defineProperty(rows, path, { get, configurable: true, enumerable: true })
}

it('asks for each of its rows where it shows something', async () => {
  const asked = new Set<string>()
  const all = records.flatMap(([name, rows]) => Object.entries(rows).map((row) => [name, ...row] as const))
  for (const [name, path, sort] of all)
    rule(name, path, () => {
      asked.add(`${name} ${path}`)
      return sort
    })
  await everyView()
  expect(all.map(([name, path]) => `${name} ${path}`).filter((row) => !asked.has(row))).toEqual([])
})

it('shows nothing of a person or a receiver that it hides', async () => {
  const texts = textsIn(await viewsOfPerson('support')).map((text) => String(text).toLowerCase())
  const { userUuid, email, number, targetAddress, firstName, lastName } = person
  for (const text of [userUuid, email, number, targetAddress, `${firstName} ${lastName}`, company, 'ES'])
    expect(texts).toContain(text.toLowerCase())
  expect(textsIn(await receivers('support'))).toContain('active')
  for (const name of ['person', 'wallet', 'receiver'] as const)
    for (const path of Object.keys(recordFields[name])) rule(name, path, () => 'receiver')
  expect(textsIn(await viewsOfPerson('support'))).toEqual([])
  expect(textsIn(await receivers('support'))).toEqual([])
})

it('masks for an auditor who somebody is, wherever people are shown', async () => {
  const said = JSON.stringify(await viewsOfPerson('auditor')).toLowerCase()
  const { email, number, targetAddress, firstName, lastName } = person
  for (const text of [email, number, targetAddress, firstName, lastName, '1990', 'calle', 'madrid'])
    expect(said).not.toContain(text.toLowerCase())
  expect(await viewsOfPerson('auditor')).toMatchObject({
    person: { userUuid: person.userUuid, email: 'M•••@demo.test', name: 'F••• L•••', customerNumber: 'K•••' },
    wallets: [{ address: expect.stringMatching(/^•••[0-9a-fA-F]{4}$/), signsIn: true }],
    born: '•••',
  })
  const [transaction] = await Promise.all([
    getTransaction(callerWith('auditor'), person.transactions[0] ?? ''),
  ])
  expect(JSON.stringify(transaction).toLowerCase()).not.toContain(targetAddress)
})

/** The list holds every text of a view that is not empty. */
function textsIn(value: unknown): unknown[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn)
  return [null, undefined, false, ''].some((empty) => empty === value) ? [] : [value]
}
