import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { listAudit } from '#lib/audit/list-audit.ts'
import { listNotices } from '#lib/audit/notices/notices.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { listEndpoints } from '#lib/endpoints/endpoints.ts'
import { listGaps } from '#lib/endpoints/gaps/gaps.ts'
import { listStrangerCalls } from '#lib/endpoints/gaps/list-stranger-calls.ts'
import { listReplays } from '#lib/endpoints/replays/replays.ts'
import { isCovered } from '#lib/endpoints/rules/gaps.ts'
import { ensureAdmins } from '#lib/identity/members/lock-team.ts'
import { listPeople } from '#lib/people/list-people.ts'
import { listOwnAccounts } from '#lib/people/own/get-profile.ts'
import { listOwnTransactions } from '#lib/people/own/own-transactions.ts'
import { getAccount, listAccounts } from '#lib/people/standings/list-accounts.ts'
import { listCompanies } from '#lib/people/standings/list-companies.ts'
import { listener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { type Projector, startProjector } from '#lib/timeline/projector/projector.ts'
import { callerWith } from '../../../test/callers.ts'
import { startServiceAndIngest } from '../../../test/service-and-ingest.ts'
import { readAttentionItems } from '../overview/read-attention.ts'
import { attentionKinds } from '../rules/attention-kinds.ts'
import { readStatus } from '../status/status.ts'
import { startWatcher, type Watcher } from '../watcher/watcher.ts'
import { loadDemo } from './load-demo.ts'

const owner = crypto.randomUUID()
const admin = callerWith('admin')
const patiently = { timeout: 20_000 }
let running: Awaited<ReturnType<typeof startServiceAndIngest>>
let projector: Projector
let watcher: Watcher
beforeAll(async () => {
  running = await startServiceAndIngest()
  vi.stubEnv('RAMPART_ADMINS', owner)
  projector = await startProjector({ url: env().databaseUrl })
  watcher = startWatcher(pool(), 3_600_000)
})
afterAll(async () => {
  await watcher.stop()
  await listener().close()
  globalThis.rampartListener = undefined
  await projector.stop()
  await running.ingest.stop()
  await running.service.stop()
})

it('fills a database that has nobody but RAMPART_ADMINS, once', async () => {
  await ensureAdmins()
  expect(await loadDemo()).toBe(true)
  const members = await prisma().member.findMany({ select: { userUuid: true, role: true } })
  expect(members.filter(({ role }) => role === 'admin')).toHaveLength(2)
  expect(members).toContainEqual({ userUuid: owner, role: 'admin' })
  expect(await prisma().transaction.count()).toBeGreaterThan(400)
  expect(await loadDemo()).toBe(false)
})

it('has events of all thirteen types over a week, and leaves no page of staff empty', async () => {
  const { rows: types } = await pool().query<{ type: string }>('SELECT DISTINCT type FROM event')
  expect(types.map(({ type }) => type).sort()).toEqual([...eventTypes].sort())
  const { rows: days } = await pool().query(`SELECT DISTINCT first_received_at::date FROM event`)
  expect(days.length).toBeGreaterThanOrEqual(7)
  const [{ rows: people }, { rows: accounts }, { rows: companies }, { rows: audit }, { notices }] =
    await Promise.all([
      listPeople(admin),
      listAccounts(admin),
      listCompanies(admin),
      listAudit(admin, {}),
      listNotices(admin),
    ])
  for (const [name, rows] of Object.entries({ people, accounts, companies, audit, notices }))
    expect(rows.length, name).toBeGreaterThan(1)
  const present = (await readAttentionItems(admin)).kinds.map(({ kind }) => kind)
  // The only gap is an endpoint's. A transaction is stuck only when similar ones were faster.
  const notPlayed = ['gap', 'conflict', 'stuck']
  expect(present).toEqual(expect.arrayContaining(attentionKinds.filter((kind) => !notPlayed.includes(kind))))
})

it('has accounts in use that transactions went through, and shows a customer theirs', async () => {
  const { rows } = await listAccounts(admin, { state: 'ACTIVE' })
  const used = await Promise.all(rows.map(({ id }) => getAccount(admin, id)))
  expect(used.filter((account) => account && account.transactions.length > 0).length).toBeGreaterThan(1)
  const ana = await prisma().person.findFirstOrThrow({ where: { email: 'ana@demo.test' } })
  const caller = callerWith('end-user', { userUuid: ana.userUuid })
  expect((await listOwnAccounts(caller)).length).toBeGreaterThan(0)
  expect((await listOwnTransactions(caller, undefined)).rows.length).toBeGreaterThan(0)
})

it('has holds for verification only for the customer who failed it', async () => {
  const { rows } = await pool().query(
    `SELECT DISTINCT standing.state FROM transaction
     JOIN standing ON standing.type = 'KYC' AND standing.subject_id = 'entity:' || transaction.user_uuid
     WHERE transaction.step = 'ON_HOLD' AND transaction.reason = 'ON_HOLD_KYC'`,
  )
  expect(rows).toEqual([{ state: 'SOFT_KYC_FAILED' }])
})

it('has a disabled endpoint with its gap, a stranger’s calls and a replay, and misses no delivery', async () => {
  const [off, ...others] = (await listEndpoints(admin)).filter(({ status }) => status === 'auto_disabled')
  expect(others).toEqual([])
  expect(off).toMatchObject({ description: 'Payments only', ours: true, statusSince: expect.anything() })
  // The sandbox sent the deliveries, and they failed. The page then shows the reason for the notice.
  expect(off?.receiver?.refused).toBeGreaterThanOrEqual(4)
  expect(off?.receiver?.reasons).toMatchObject([{ why: 'wrong-secret' }])
  const failed = await (
    await fetch(new URL(`/_sandbox/deliveries?endpoint=${off?.uuid}`, env().sandboxUrl ?? ''))
  ).json()
  expect(JSON.stringify(failed)).toMatch(/401/)
  const { rows: gaps } = await listGaps(admin)
  expect(gaps).toMatchObject([{ kind: 'auto-disabled', endpoint: { uuid: off?.uuid }, endedAt: null }])
  await expect.poll(async () => (await listGaps(admin)).rows.every(isCovered), patiently).toBe(true)
  expect((await readStatus()).health.gap).toBeNull()
  // The next delivery with the right secret shows that the caller was a stranger.
  await expect
    .poll(() => listStrangerCalls(admin), patiently)
    .toMatchObject([{ endpoint: { name: 'Rampart (this dashboard)' }, count: 3 }])
  const { replays } = await listReplays(admin)
  expect(replays).toMatchObject([{ state: 'done', address: null, failed: 0 }])
})
