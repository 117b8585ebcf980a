import 'server-only'
import { uuidv7 } from 'uuidv7'
import { type Caller, noCallSource } from '#lib/access/caller.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { readQueueState } from '#lib/deliveries/queue/read-queue-state.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { newReceiverAddress } from '#lib/endpoints/repair-endpoint.ts'
import { saveToDirectory } from '#lib/identity/users/directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { createServiceClient } from '#lib/service/client.ts'
import { createUser } from '#lib/service/operations.ts'
import {
  demoReason,
  listSandboxUsers,
  makeUpHistory,
  playScenarioInSandbox,
  playTrouble,
  waitUntil,
} from './play-trouble.ts'

/**
 * `loadDemo` fills an empty database with the demo (only with the sandbox): people, an endpoint here, a week of past
 * events of every type, some problems, and a transaction that arrives by HTTP. It continues an interrupted run.
 * @returns true when there was something to do
 */
export async function loadDemo(): Promise<boolean> {
  const { sandboxUrl } = env()
  if (!sandboxUrl || !(await begin())) return false
  const people = await createPeople(sandboxUrl)
  const admin = await admitStaff(people)
  const receiverId = await ensureEndpoint(admin)
  const customers = demoPeople
    .filter(({ role }) => role === 'end-user')
    .map(({ email }) => uuidOf(people, email))
  await ensurePast(sandboxUrl, receiverId, customers)
  await folded()
  const [first = '', second = first] = customers
  await playTrouble(admin, sandboxUrl, { receiverId, userUuid: second })
  await playScenarioInSandbox(sandboxUrl, { name: 'fiat-to-crypto', userUuid: first })
  await prisma().setting.update({ where: { key: 'demo' }, data: { value: 'loaded' } })
  return true
}

/**
 * Only an empty database gets the demo, or one whose demo was interrupted. The start has already added
 * `RAMPART_ADMINS`.
 */
async function begin(): Promise<boolean> {
  const demo = await prisma().setting.findUnique({ where: { key: 'demo' } })
  if (demo) return demo.value !== 'loaded'
  const where = { userUuid: { notIn: [...env().admins] } }
  const counts = await Promise.all([
    prisma().person.count({ where }),
    prisma().member.count({ where }),
    prisma().receiver.count(),
  ])
  if (counts.some((count) => count > 0)) return false
  await prisma().setting.create({ data: { key: 'demo', value: 'loading' } })
  return true
}

type People = ReadonlyMap<string, string>

/** The result has `user_uuid`s by e-mail. People that the service knows already are kept. */
async function createPeople(sandboxUrl: URL): Promise<People> {
  const { serviceBaseUrl, serviceApiKey } = env()
  const service = createServiceClient({ baseUrl: serviceBaseUrl, apiKey: serviceApiKey })
  const people = new Map(await listSandboxUsers(sandboxUrl))
  for (const { email, firstName, lastName, country } of demoPeople) {
    if (!people.has(email))
      people.set(email, (await createUser(service, { email, firstName, lastName, country })).userUuid)
    const userUuid = uuidOf(people, email)
    const person = { userUuid, email, firstName, lastName, country, targetAddress: null, status: null }
    await inTransaction(pool(), (tx) => saveToDirectory(tx, person, 'demo'))
  }
  return people
}

/** `admitStaff` makes the demo's staff members. It returns the admin, who performs the rest. */
async function admitStaff(people: People): Promise<Caller> {
  const staff = demoPeople.filter(({ role }) => role !== 'end-user')
  for (const { email, role, firstName, lastName } of staff) {
    const userUuid = uuidOf(people, email)
    const name = `${firstName} ${lastName}`
    await prisma().member.upsert({
      where: { userUuid },
      create: { id: uuidv7(), userUuid, name, role },
      update: {},
    })
  }
  const email = 'admin@demo.test'
  const now = new Date().toISOString()
  const member = await prisma().member.findUniqueOrThrow({ where: { userUuid: uuidOf(people, email) } })
  return {
    id: uuidOf(people, email),
    sessionId: uuidv7(),
    userUuid: uuidOf(people, email),
    memberId: member.id,
    role: 'admin',
    name: member.name,
    email,
    method: 'code',
    signedInAt: now,
    idleExpiresAt: now,
    expiresAt: now,
  }
}

async function ensureEndpoint(admin: Caller): Promise<string> {
  const made = await prisma().receiver.findFirst({
    where: { state: 'active' },
    orderBy: { createdAt: 'asc' },
  })
  if (made) return made.id
  const { receiverId } = newReceiverAddress()
  const form = {
    to: 'here' as const,
    receiverId,
    description: 'Rampart (this dashboard)',
    subscribedEvents: null,
    reason: demoReason,
  }
  await createEndpoint(admin, form, noCallSource)
  return receiverId
}

async function ensurePast(sandboxUrl: URL, receiverId: string, userUuids: readonly string[]) {
  if ((await prisma().delivery.count({ take: 1 })) > 0) return
  const past = await makeUpHistory(sandboxUrl, { days: 7, transactions: 500, seed: 1, userUuids })
  await appendPastDeliveries(past.map(({ receivedAt, body }) => ({ receivedAt, receiverId, body })))
}

/** A slow machine may take minutes; a projector that does nothing for a minute does not run. */
async function folded() {
  const readWaiting = async () => (await readQueueState(pool())).waiting
  for (let waiting = await readWaiting(); waiting > 0; waiting = await readWaiting()) {
    const before = waiting
    if (!(await waitUntil(async () => (await readWaiting()) < before, 60)))
      throw new Error('For a minute none of the past deliveries of the demo was folded')
  }
}

function uuidOf(people: People, email: string): string {
  const userUuid = people.get(email)
  if (!userUuid) throw new Error(`The sandbox does not know ${email}`)
  return userUuid
}

/** These people can sign in to the demo. All of them exist in the sandbox, and the staff also as members. */
export const demoPeople: readonly {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  /** The country is ISO 3166-1 alpha-2. */
  readonly country: string
  readonly role: Role
}[] = [
  { email: 'admin@demo.test', firstName: 'Demo', lastName: 'Admin', country: 'ES', role: 'admin' },
  { email: 'support@demo.test', firstName: 'Demo', lastName: 'Support', country: 'ES', role: 'support' },
  { email: 'ana@demo.test', firstName: 'Ana', lastName: 'Demo', country: 'ES', role: 'end-user' },
  { email: 'ben@demo.test', firstName: 'Ben', lastName: 'Demo', country: 'DE', role: 'end-user' },
  { email: 'cleo@demo.test', firstName: 'Cleo', lastName: 'Demo', country: 'FR', role: 'end-user' },
]
