import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Role, roles, staffRoles } from '#lib/access/rules/roles.ts'
import { readConnection, readServiceState } from '#lib/endpoints/service-key/service-state.ts'
import { listPeopleNeedingAttention } from '#lib/people/list-people-needing-attention.ts'
import { listAccounts } from '#lib/people/standings/list-accounts.ts'
import { listCompanies } from '#lib/people/standings/list-companies.ts'
import { uuidv7Of } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { CursorRefused, NotAllowed } from '#lib/platform/refusals.ts'
import { keepSettingRow } from '#lib/platform/settings/settings.ts'
import { recordSignIn } from '../../../test/bounces.ts'
import { callerWith } from '../../../test/callers.ts'
import { countStandings } from '../../../test/count-standings.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { readAttentionItems } from '../overview/read-attention.ts'
import { mayKnowAttention } from '../rules/attention-kinds.ts'
import { readOperatorStatus } from './operator-status.ts'
import { readStatus, statusFor } from './status.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(() =>
  pool().query(
    'TRUNCATE alert, gap, transaction, receiver, watched_endpoint, endpoint_state, overview_mute, setting, standing',
  ),
)

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
/** The health is that of a process that has just started. This test process may be older. */
const health = async () => (await readStatus(Date.now())).health

async function addGap(kind: string, began: number, ended: number | null, outcome: string | null = null) {
  const id = crypto.randomUUID()
  await pool().query(
    `INSERT INTO gap (id, kind, about, began_at, ended_at, outcome, reason, closed_by, closed_at)
     VALUES ($1, $2, '', $3, $4, $5::text, $5, $5, CASE WHEN $5 IS NOT NULL THEN now() END)`,
    [id, kind, minutesAgo(began), ended === null ? null : minutesAgo(ended), outcome],
  )
  return id
}

/** The transaction began and last moved so many minutes ago. */
const addTransaction = (started: number, moved: number, step = 'PENDING', finished: number | null = null) =>
  pool().query(
    `INSERT INTO transaction (subject_id, uuid, direction, step, details, flags, started_at, last_move_at, finished_at)
     SELECT 'transaction:' || id, id, 'fiatToCrypto', $1, '{}', '{}', $2, $3, $4 FROM (SELECT $5::text AS id) AS one`,
    [
      step,
      minutesAgo(started),
      minutesAgo(moved),
      finished === null ? null : minutesAgo(finished),
      crypto.randomUUID(),
    ],
  )

/** The service listed its endpoints so many minutes ago, and accepted or refused the key since. */
async function item(outcome: string, seen = 0) {
  const at = minutesAgo(seen).toISOString()
  await keepSettingRow(pool(), 'service-state', { look: outcome, since: at, lookedAt: at, seenAt: at })
}

const addEndpoint = (status: string, lastActive: number) =>
  pool().query(
    `INSERT INTO watched_endpoint (endpoint_uuid, receiver_id, name, status, last_active_at, events)
     VALUES ($1, $1, 'E', $2, $3, '{*}')`,
    [crypto.randomUUID(), status, minutesAgo(lastActive)],
  )

it('shows nothing as known in a new installation', async () => {
  expect(await health()).toEqual({
    unreadSince: null,
    lastDeliveryAt: null,
    receiving: null,
    behindSince: null,
    gap: null,
    service: null,
    unwatchedSince: null,
  })
})

it('shows since when the watcher has not called the service, in a process that has run long enough to know', async () => {
  const ranFor = async (minutes: number) =>
    (await readStatus(minutesAgo(minutes).getTime())).health.unwatchedSince
  // No process ever had the lease, or every round failed.
  expect(await ranFor(1)).toBeNull()
  expect(await ranFor(5)).not.toBeNull()
  await item('seen', 2)
  expect(await ranFor(60)).toBeNull()
  await item('seen', 30)
  expect(await ranFor(60)).toBe((await readServiceState())?.lookedAt)
  expect(await ranFor(1)).toBeNull()
})

it.each([-1_440, -10, 5, 90])(
  'knows by the database’s clock whether the watcher calls, where that of this machine is %s minutes ahead',
  async (ahead) => {
    // This process has run for an hour.
    vi.spyOn(performance, 'now').mockReturnValue(3_600_000)
    const unwatched = async () => {
      const { lookedAt = null } = (await readServiceState()) ?? {}
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead * 60_000 })
      try {
        const { problems } = await readOperatorStatus(pool())
        const since = [
          (await readStatus()).health.unwatchedSince,
          (await readConnection(callerWith('admin'))).unwatchedSince,
          problems.find(({ kind }) => kind === 'unwatched')?.found.match(/since (.*)\./)?.[1] ?? null,
        ]
        return since.map((time) => time && time === lookedAt)
      } finally {
        vi.useRealTimers()
      }
    }
    await item('seen', 1)
    const watched = await unwatched()
    await item('seen', 5)
    const left = await unwatched()
    vi.restoreAllMocks()
    expect([watched, left]).toEqual([
      [null, null, null],
      [true, true, true],
    ])
  },
)

it.each([-90, 5])(
  'is dated by the database’s clock, by which pages of several servers are compared, where ours is %s minutes ahead',
  async (ahead) => {
    const before = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: before + ahead * 60_000 })
    const { at } = await readStatus().finally(() => vi.useRealTimers())
    expect(at).toBeGreaterThanOrEqual(before - 1)
    expect(at).toBeLessThanOrEqual(Date.now() + 1)
  },
)

it('shows when the last delivery came, and whether an endpoint of the service’s last list delivers here', async () => {
  const at = minutesAgo(1)
  await pool().query(
    `INSERT INTO receiver (id, state, last_delivery_at) VALUES (gen_random_uuid(), 'active', $1), (gen_random_uuid(), 'active', NULL)`,
    [at],
  )
  await item('seen')
  // A deleted endpoint keeps the row of the time when it was listed.
  await addEndpoint('active', 10)
  await addEndpoint('disabled', 0)
  expect(await health()).toMatchObject({ lastDeliveryAt: at.toISOString(), receiving: false })
  await addEndpoint('active', 0)
  expect(await health()).toMatchObject({ receiving: true })
})

it('still uses the last list while the service refuses the key', async () => {
  await item('key-refused', 30)
  await addEndpoint('active', 30)
  expect(await health()).toMatchObject({ receiving: true, service: { outcome: 'key-refused' } })
})

it('prefers a lasting gap to one that is over, with its open transactions', async () => {
  await addGap('down', 50, 40)
  const id = await addGap('auto-disabled', 30, null)
  for (const minutes of [60, 5]) await addTransaction(minutes, minutes)
  await addTransaction(60, 1, 'SUCCESS', 1)
  expect((await health()).gap).toMatchObject({
    id,
    kind: 'auto-disabled',
    severity: 'error',
    endedAt: null,
    open: { count: 2, exact: true },
  })
})

it('shows a gap that is over while a transaction of it has no later event and nobody has closed it', async () => {
  await addGap('down', 50, 40)
  await addGap('down', 150, 140, 'nothing-missing')
  await addTransaction(200, 30)
  expect((await health()).gap).toBeNull()
  await addTransaction(45, 45)
  expect((await health()).gap).toMatchObject({ severity: 'warning', open: { count: 1, exact: true } })
  await pool().query(`UPDATE gap SET outcome = 'recovered'`)
  expect((await health()).gap).toBeNull()
})

describe('however many gaps another endpoint or retries make up for,', () => {
  it('mentions an older one that is over', async () => {
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at)
       SELECT gen_random_uuid(), 'deferred', gen_random_uuid()::text, now() - minutes * interval '1 minute', now()
       FROM generate_series(1, 60) AS minutes`,
    )
    await addTransaction(100, 100)
    expect((await health()).gap).toBeNull()
    const id = await addGap('down', 90, 80)
    expect((await health()).gap).toMatchObject({ id, kind: 'down', open: { count: 1 } })
  })

  it('mentions an older one that lasts', async () => {
    const other = crypto.randomUUID()
    await pool().query(
      `WITH off AS (SELECT gen_random_uuid() AS id, minutes FROM generate_series(1, 7) AS minutes),
         one AS (SELECT id, '{KYC}'::text[] || CASE WHEN minutes = 7 THEN '{AML}'::text[] END AS events FROM off
                 UNION SELECT $1, '{KYC}'),
         receivers AS (INSERT INTO receiver (id, state, created_at) SELECT id, 'active', now() - interval '1 day' FROM one),
         endpoints AS (
           INSERT INTO watched_endpoint (endpoint_uuid, receiver_id, name, status, events, events_changed_at)
           SELECT id, id, id, 'active', events, now() - interval '1 day' FROM one
         )
       INSERT INTO gap (id, kind, about, began_at)
       SELECT id, 'auto-disabled', id, now() - minutes * interval '1 minute' FROM off`,
      [other],
    )
    await pool().query(
      `INSERT INTO delivery (id, receiver_id, received_at, body) VALUES ($1, $2, now(), '{}')`,
      [uuidv7Of(new Date()), other],
    )
    const { rows } = await pool().query('SELECT id FROM gap ORDER BY began_at')
    expect((await health()).gap).toMatchObject({ id: rows[0]?.id, severity: 'error', endedAt: null })
    await pool().query('DELETE FROM gap WHERE id = $1', [rows[0]?.id])
    expect((await health()).gap).toBeNull()
  })
})

it('shows a refused key and a silent service as such, and not as a gap in deliveries', async () => {
  const operatorHears = async () =>
    (await readOperatorStatus(pool())).problems.find(({ kind }) => kind === 'gap')?.found
  for (const ended of [null, 40]) {
    await addGap('key-refused', 50, ended)
    await addGap('not-seen', 50, ended)
  }
  expect((await health()).gap).toBeNull()
  expect(await operatorHears()).toBeUndefined()
  await addGap('down', 50, 40)
  expect(await operatorHears()).toBe('Deliveries may be missing: 1 gap is open.')
})

const add = (seconds: number) =>
  pool().query(
    `WITH taken AS (
       INSERT INTO delivery (id, receiver_id, received_at, body) VALUES ($1, $1, $2, '') RETURNING id
     ) INSERT INTO delivery_pending (delivery_id) SELECT id FROM taken`,
    [crypto.randomUUID(), new Date(Date.now() - seconds * 1000)],
  )

it('shows since when deliveries wait to be shown, once they have waited for long', async () => {
  await add(2)
  expect((await health()).behindSince).toBeNull()
  await pool().query('TRUNCATE delivery_pending')
  await add(20)
  expect((await health()).behindSince).not.toBeNull()
  // New evidence has it folded again, so it waits since now.
  await pool().query('UPDATE delivery_pending SET requeued_at = clock_timestamp()')
  expect((await health()).behindSince).toBeNull()
  await pool().query('TRUNCATE delivery_pending')
})

it.each([-3_600_000, 3_600_000])(
  'measures how long a delivery waits by the clock of the database (%i ms)',
  async (off) => {
    await add(off < 0 ? 20 : 2)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + off })
    const { behindSince } = await health()
    vi.useRealTimers()
    expect(behindSince === null).toBe(off > 0)
    await pool().query('TRUNCATE delivery_pending')
  },
)

it('counts transactions on hold and open gaps, up to a hundred', async () => {
  await addGap('down', 50, 40)
  await addGap('down', 50, 40, 'no-gap')
  for (const step of ['ON_HOLD', 'ON_HOLD', 'PENDING']) await addTransaction(5, 5, step)
  expect((await readStatus()).counts).toMatchObject({ held: 2, gaps: 1, endpoints: 1 })
  await Promise.all(Array.from({ length: 110 }, () => addTransaction(5, 5, 'ON_HOLD')))
  expect((await readStatus()).counts.held).toBe(100)
})

it('counts open gaps and endpoints that are off as the overview lists them, without snoozed ones', async () => {
  const count = async () => {
    const { endpoints } = (await readStatus()).counts
    const { kinds } = await readAttentionItems(callerWith('admin'))
    const listed = kinds.filter(({ kind }) => kind === 'gap' || kind === 'endpoint')
    expect(endpoints).toBe(listed.reduce((sum, { total }) => sum + total.count, 0))
    return endpoints
  }
  const gap = await addGap('down', 50, 40)
  expect(await count()).toBe(1)
  // An endpoint that delivers elsewhere has no gap here.
  await item('seen')
  await pool().query(
    `INSERT INTO endpoint_state (endpoint_uuid, seen_from, seen_until, status) VALUES (gen_random_uuid(), $1, now(), 'auto_disabled')`,
    [minutesAgo(5)],
  )
  expect(await count()).toBe(2)
  await pool().query(`INSERT INTO overview_mute VALUES ('gap', $1, 'a note', 'somebody', now(), now())`, [
    gap,
  ])
  expect(await count()).toBe(1)
  await addGap('disabled', 5, null)
  expect(await count()).toBe(2)
  expect((await readStatus()).counts).toMatchObject({ held: 0, gaps: 1, endpoints: 2 })
})

const day = 24 * 60

/** The row is a status of a person or an account from so many minutes ago. The subject is new unless an id is given. */
async function addStanding(
  type: string,
  state: string | null,
  minutes: number,
  kind = 'entity',
  id: string | null = null,
) {
  const event = crypto.randomUUID()
  await pool().query(
    `INSERT INTO standing (subject_id, type, state, event_id, started_at, last_move_at) VALUES ($1, $2, $3, $4, $5, $5)`,
    [`${kind}:${id ?? event}`, type, state, event, minutesAgo(minutes)],
  )
  await countStandings(pool())
  return event
}

it('counts people and accounts with recent events that need attention, without snoozed ones', async () => {
  const counts = async (role: Role) => statusFor(role, await readStatus())?.counts
  await addStanding('KYC', 'HARD_KYC_FAILED', 5)
  const soft = await addStanding('KYC', 'SOFT_KYC_FAILED', 10 * day)
  await addStanding('KYC', 'SOFT_KYC_FAILED', 20 * day)
  await addStanding('KYC', 'FULL_USER', 5)
  await addStanding('duplicateUser', 'DUPLICATE_USER', 5)
  const failed = await addStanding('linkBankAccount', 'FAILED', 5, 'bank-account')
  await addStanding('unblockBankAccount', 'FAILED_CREATION', 5, 'bank-account')
  await addStanding('unblockBankAccount', 'ACTIVE', 5, 'bank-account')
  expect(await counts('support')).toMatchObject({ people: 3, accounts: 2 })
  await snoozeOne('failed-kyc', soft)
  await snoozeOne('failed-account', failed)
  expect(await counts('support')).toMatchObject({ people: 2, accounts: 1 })
})

it('counts a person with a bounced code among those who need attention, as the overview lists them', async () => {
  const people = async () => statusFor('support', await readStatus())?.counts.people
  const bounced = await addStanding('otpNotification', 'EMAIL_DELIVERY_FAILED', 5)
  expect(await people()).toBe(1)
  const { rows } = await listPeopleNeedingAttention(callerWith('support'), {})
  expect(rows.map(({ id, said }) => [id, said[0]?.type])).toEqual([[bounced, 'otpNotification']])
  await snoozeOne('bounced-code', bounced)
  expect(await people()).toBe(0)
})

it('counts a person with a bounced code no more once a later code was used, but what else needs attention', async () => {
  const counted = async () => {
    const { rows, total } = await listPeopleNeedingAttention(callerWith('support'), {})
    expect(statusFor('support', await readStatus())?.counts.people).toBe(total.count)
    return rows.map(({ id, said }) => [id, said.map(({ type }) => type)])
  }
  const [bounced, failed] = [crypto.randomUUID(), crypto.randomUUID()]
  await addStanding('KYC', 'HARD_KYC_FAILED', 60, 'entity', failed)
  for (const id of [bounced, failed]) {
    await addStanding('otpNotification', 'EMAIL_DELIVERY_FAILED', 30, 'entity', id)
    await recordSignIn(id, 'code', minutesAgo(45))
  }
  expect(await counted()).toHaveLength(2)
  for (const id of [bounced, failed]) await recordSignIn(id, 'code', minutesAgo(5))
  expect(await counted()).toEqual([[failed, ['KYC']]])
})

it('counts the firing alerts of a role that nobody acknowledged', async () => {
  const alerts = async (role: Role) => statusFor(role, await readStatus())?.counts.alerts
  const fire = (condition: string, subject = '', rest = 'NULL, NULL') =>
    pool().query(
      `INSERT INTO alert (id, condition, subject, value, worst, threshold, began_at, resolved_at, acknowledged_at)
       VALUES (gen_random_uuid(), $1, $2, 1, 1, 1, now(), ${rest})`,
      [condition, subject],
    )
  await fire('endpoint-off', 'one')
  await fire('endpoint-off', 'two')
  await fire('transaction-held')
  await fire('audit-broken')
  await fire('of-another-version')
  await fire('silence', '', 'now(), NULL')
  await fire('backlog-age', '', 'NULL, now()')
  expect(await Promise.all(staffRoles.map(async (role) => [role, await alerts(role)]))).toEqual([
    ['support', 3],
    ['compliance', 2],
    ['auditor', 4],
    ['admin', 4],
  ])
  for (let more = 0; more < 110; more++) await fire('endpoint-off', `more ${more}`)
  expect(await alerts('support')).toBe(100)
})

it('reveals a failed check to no role that may not see it, not even by a count', async () => {
  const people = async (role: Role) => statusFor(role, await readStatus())?.counts.people
  for (const state of ['PASSED', 'IN_REVIEW', null]) await addStanding('AML', state, 5)
  for (const role of staffRoles) expect(await people(role), role).toBe(0)
  const bad = await addStanding('AML', 'FAILED', 5)
  await addStanding('AML', 'SOMETHING_NEW', 5)
  for (const role of staffRoles) expect(await people(role), role).toBe(mayKnowAttention(role, 'aml') ? 2 : 0)
  expect(JSON.stringify(statusFor('support', await readStatus()))).not.toContain('checks')
  await snoozeOne('aml', bad)
  expect(await people('admin')).toBe(1)
  await Promise.all(Array.from({ length: 110 }, () => addStanding('AML', 'FAILED', 5)))
  expect(await people('admin')).toBe(100)
})

describe('the list that a count leads to', () => {
  const countsOf = async (role: Role) => statusFor(role, await readStatus())?.counts
  const listedOf = async (role: Role, cursor?: string, limit = 200) => {
    const { rows, next, total } = await listPeopleNeedingAttention(callerWith(role), { cursor, limit })
    return { rows: rows.map(({ id, said }) => [id, said.map(({ type }) => type)]), next, total }
  }

  it('has each person once, with all that needs attention and that the role may see', async () => {
    const twice = await addStanding('KYC', 'HARD_KYC_FAILED', 9)
    await addStanding('duplicateUser', 'DUPLICATE_USER', 8, 'entity', twice)
    const checked = await addStanding('KYC', 'SUSPENDED', 7)
    await addStanding('AML', 'FAILED', 1, 'entity', checked)
    const onlyChecked = await addStanding('AML', 'SOMETHING_NEW', 5)
    const snoozed = await addStanding('KYC', 'SOFT_KYC_FAILED', 3)
    const halfSnoozed = await addStanding('KYC', 'SOFT_KYC_FAILED', 6)
    const duplicate = await addStanding('duplicateUser', 'DUPLICATE_USER', 2, 'entity', halfSnoozed)
    await addStanding('KYC', 'HARD_KYC_FAILED', 15 * day)
    await addStanding('KYC', 'FULL_USER', 1)
    await addStanding('AML', 'PASSED', 1, 'entity', twice)
    await addStanding('KYB', 'FAILED', 1)
    await snoozeOne('failed-kyc', snoozed)
    await snoozeOne('duplicate-user', duplicate)
    const plain = [
      [halfSnoozed, ['KYC']],
      [checked, ['KYC']],
      [twice, ['duplicateUser', 'KYC']],
    ]
    const whole = [
      [checked, ['AML', 'KYC']],
      [onlyChecked, ['AML']],
      [halfSnoozed, ['KYC']],
      [twice, ['duplicateUser', 'KYC']],
    ]
    for (const role of staffRoles) {
      const { rows, total } = await listedOf(role)
      expect(rows, role).toEqual(mayKnowAttention(role, 'aml') ? whole : plain)
      expect(total, role).toEqual({ count: rows.length, exact: true })
      expect((await countsOf(role))?.people, role).toBe(rows.length)
    }
    await expect(listPeopleNeedingAttention(callerWith('end-user'))).rejects.toThrow(NotAllowed)
  })

  it('has pages, each person once, sorted by name where the directory has one', async () => {
    const ids = await Promise.all([1, 2, 3].map((minutes) => addStanding('KYC', 'SUSPENDED', minutes)))
    for (const id of ids) await addStanding('duplicateUser', 'DUPLICATE_USER', 4, 'entity', id)
    const seen: unknown[] = []
    for (let cursor: string | undefined; ; ) {
      const { rows, next } = await listedOf('support', cursor, 1)
      seen.push(...rows.map(([id]) => id))
      if (next === null) break
      cursor = next
    }
    expect(seen).toEqual(ids)
    await pool().query(
      `INSERT INTO person (user_uuid, email, email_key, source) VALUES ($1, 'look@demo.test', 'look@demo.test', 'test')`,
      [ids[0]],
    )
    const emails = async (role: Role) =>
      (await listPeopleNeedingAttention(callerWith(role))).rows.map(({ person }) => person?.email ?? null)
    expect(await emails('support')).toEqual(['look@demo.test', null, null])
    expect(await emails('auditor')).toEqual(['l•••@demo.test', null, null])
    await expect(listedOf('support', 'x')).rejects.toThrow(CursorRefused)
  })

  it('has the accounts that failed recently, and filters them', async () => {
    const failed = await addStanding('linkBankAccount', 'FAILED', 1, 'bank-account')
    const created = await addStanding('unblockBankAccount', 'FAILED_CREATION', 2, 'bank-account')
    const snoozed = await addStanding('linkBankAccount', 'FAILED', 3, 'bank-account')
    await addStanding('linkBankAccount', 'FAILED', 15 * day, 'bank-account')
    await addStanding('linkBankAccount', 'ACTIVE', 1, 'bank-account')
    await snoozeOne('failed-account', snoozed)
    const ids = async (filters: Parameters<typeof listAccounts>[1]) => {
      const { rows, total } = await listAccounts(callerWith('support'), { needsAttention: true, ...filters })
      expect(total).toEqual({ count: rows.length, exact: true })
      return rows.map(({ id }) => id)
    }
    expect(await ids({})).toEqual([failed, created])
    expect((await countsOf('support'))?.accounts).toBe(2)
    expect(await ids({ type: 'linkBankAccount' })).toEqual([failed])
    expect(await ids({ state: 'FAILED_CREATION' })).toEqual([created])
    expect(await ids({ state: 'ACTIVE' })).toEqual([])
  })

  it('has each company once that failed recently, and filters them', async () => {
    const failed = await addStanding('KYB', 'KYB_FAILED', 4)
    await addStanding('entityStatusUpdate', 'ACTIVE', 1, 'entity', failed)
    const twice = await addStanding('KYB', 'KYB_FAILED', 3)
    await addStanding('entityStatusUpdate', 'SUSPENDED', 2, 'entity', twice)
    const suspended = await addStanding('entityStatusUpdate', 'SUSPENDED', 5)
    const halfSnoozed = await addStanding('entityStatusUpdate', 'SUSPENDED', 8)
    const verification = await addStanding('KYB', 'KYB_FAILED', 1, 'entity', halfSnoozed)
    const snoozed = await addStanding('KYB', 'KYB_FAILED', 1)
    await addStanding('KYB', 'KYB_FAILED', 15 * day)
    await addStanding('KYB', 'KYB_PASSED', 1)
    await addStanding('KYB', 'KYB_PENDING', 1)
    await addStanding('KYC', 'SUSPENDED', 1)
    await addStanding('AML', 'KYB_FAILED', 1)
    await snoozeOne('failed-company', snoozed)
    await snoozeOne('failed-company', verification)
    const pageOf = async (filters: Parameters<typeof listCompanies>[1]) => {
      const { rows, next, total } = await listCompanies(callerWith('support'), {
        needsAttention: true,
        ...filters,
      })
      return { ids: rows.map(({ id }) => id), next, total }
    }
    const whole = [twice, failed, suspended, halfSnoozed]
    expect(await pageOf({})).toEqual({ ids: whole, next: null, total: { count: 4, exact: true } })
    for (const role of staffRoles) expect((await countsOf(role))?.companies, role).toBe(4)
    expect((await countsOf('support'))?.people).toBe(1)
    const { ids, next } = await pageOf({ limit: 3 })
    expect([...ids, ...(await pageOf({ cursor: next ?? '' })).ids]).toEqual(whole)
    expect((await pageOf({ state: 'KYB_FAILED' })).ids).toEqual([twice, failed])
    expect((await pageOf({ state: 'SUSPENDED' })).ids).toEqual([twice, suspended, halfSnoozed])
    expect((await pageOf({ state: 'KYB_PASSED' })).ids).toEqual([])
  })
})

const snoozeOne = (kind: string, about: string, minutes = 0) =>
  pool().query(`INSERT INTO overview_mute VALUES ($1, $2, 'a note', 'somebody', now(), $3)`, [
    kind,
    about,
    minutesAgo(minutes),
  ])

it('does not count a snoozed hold until it moves again', async () => {
  for (const moved of [30, 10, 5]) await addTransaction(60, moved, 'ON_HOLD')
  const { rows } = await pool().query<{ subject_id: string }>(
    'SELECT subject_id FROM transaction ORDER BY last_move_at',
  )
  const [first, second, third] = rows.map(({ subject_id }) => subject_id)
  await snoozeOne('held', first ?? '')
  await snoozeOne('stuck', second ?? '')
  // A transaction that moved after its snooze is listed again.
  await snoozeOne('held', third ?? '', 20)
  expect((await readStatus()).counts.held).toBe(2)
})

it('does not count a snoozed gap, neither as a gap nor with its endpoint', async () => {
  const [over, lasting] = [await addGap('down', 50, 40), await addGap('disabled', 20, null)]
  expect((await readStatus()).counts.gaps).toBe(2)
  await snoozeOne('gap', over)
  expect((await readStatus()).counts.gaps).toBe(1)
  await snoozeOne('endpoint', lasting)
  expect((await readStatus()).counts.gaps).toBe(0)
})

it('shows each role what it may see, and customers nothing', async () => {
  await addGap('down', 50, null)
  const status = await readStatus()
  const { checks: _, ...counted } = status.counts
  const counts = { ...counted, alerts: 0 }
  const reported = roles.map((role) => [role, statusFor(role, status)] as const)
  for (const [role, of] of reported) {
    if (role === 'end-user') expect(of).toBeNull()
    else if (role === 'compliance')
      expect(of).toEqual({
        at: status.at,
        health: null,
        counts: { ...counts, gaps: null, endpoints: null },
      })
    else expect(of, role).toEqual({ at: status.at, health: status.health, counts })
  }
})
