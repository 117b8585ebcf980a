import { afterAll, beforeAll, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed, SignInAgain } from '#lib/platform/refusals.ts'
import { auditReason } from '../../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { listAlertHistory } from './alerts.ts'
import {
  AlertsExportSchema,
  AllowAlertsExportSchema,
  alertsFileName,
  allowAlertsExport,
  exportAlerts,
} from './export-alerts.ts'

const auditor = callerWith('auditor')
const support = callerWith('support')
const browser = newBrowser()
const reason = 'for a quarter'
const resolved = 450
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(
    `INSERT INTO alert (id, condition, subject, value, worst, threshold, began_at, fired_at, resolved_at, acknowledged_at,
       acknowledged_by)
     SELECT gen_random_uuid(), CASE WHEN k = 1 THEN 'unknown-type' WHEN k % 3 = 0 THEN 'audit-broken' ELSE 'dead-letters' END,
       CASE WHEN k = 1 THEN '=HYPERLINK("x")' ELSE k::text END, 2, 3, 1, now() - k * interval '1 h', now(),
       CASE WHEN k <= $1 THEN now() - k / 2 * interval '1 s' END, now(), '+somebody'
     FROM generate_series(1, $1 + 5) AS k`,
    [resolved],
  )
})
afterAll(() => database.stop())

async function take(caller: typeof auditor, sent: Record<string, string>) {
  const asked = AllowAlertsExportSchema.parse({ ...sent, reason })
  const { ticket, format, total } = await allowAlertsExport(caller, asked, browser)
  expect([format, total]).toEqual([sent.format, null])
  const file = AlertsExportSchema.parse({ ...sent, ticket })
  return (await Array.fromAsync(await exportAlerts(caller, file, ticket))).join('')
}

const idsOf = (csv: string) =>
  csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((row) => row.slice(0, 36))

/** The page shows these, page by page. */
async function listed(caller: typeof auditor, condition: 'audit-broken' | null = null) {
  const ids: string[] = []
  for (let before: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof listAlertHistory>> = await listAlertHistory(caller, {
      before,
      condition,
    })
    ids.push(...page.alerts.map(({ id }) => id))
    if (page.next === null) return ids
    before = page.next
  }
}

it('holds the resolved alerts of the role in the order of the page, in both formats', async () => {
  const ids = await listed(auditor)
  // Auditors may not know the unknown type.
  expect(ids).toHaveLength(resolved - 1)
  expect(idsOf(await take(auditor, { format: 'csv' }))).toEqual(ids)
  const lines = (await take(auditor, { format: 'ndjson' })).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).alertId)).toEqual(ids)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ worst: 3, threshold: 1, acknowledgedBy: '+somebody' })
  const ofSupport = await listed(support)
  expect(ofSupport.length).toBeLessThan(resolved)
  expect(idsOf(await take(support, { format: 'csv' }))).toEqual(ofSupport)
})

it('holds what the filter shows', async () => {
  const condition = 'audit-broken'
  expect(idsOf(await take(auditor, { condition, format: 'csv' }))).toEqual(await listed(auditor, condition))
})

it('has no cell that is a formula', async () => {
  const text = await take(auditor, { format: 'csv' })
  expect(text).toContain(",'+somebody,")
  expect(text).not.toMatch(/[,\n]"?[=+@]/)
})

it('names an unknown type only in the words of the page, because it may be anything about a person', async () => {
  for (const format of ['csv', 'ndjson']) {
    const text = await take(support, { format })
    expect(text).toContain('of another form')
    expect(text).not.toContain('HYPERLINK')
  }
})

it('is for roles that see alerts, with a fresh sign-in, for that file only, and the audit names the filter', async () => {
  const asked = { condition: 'dead-letters', format: 'csv' } as const
  await expect(allowAlertsExport(callerWith('end-user'), { ...asked, reason }, browser)).rejects.toThrow(
    NotAllowed,
  )
  const stale = callerWith('auditor', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(allowAlertsExport(stale, { ...asked, reason }, browser)).rejects.toThrow(SignInAgain)
  const { ticket } = await allowAlertsExport(auditor, { ...asked, reason }, browser)
  await expect(exportAlerts(auditor, { format: 'csv' }, ticket)).rejects.toThrow(NotAllowed)
  await expect(exportAlerts(callerWith('auditor'), asked, ticket)).rejects.toThrow(NotAllowed)
  const { rows } = await pool().query(
    `SELECT details, ${auditReason} FROM audit WHERE action = 'alert.export' ORDER BY id DESC LIMIT 1`,
  )
  expect(rows).toEqual([{ details: asked, reason }])
})

it('has a name that says its content and its time', () => {
  const now = Date.UTC(2026, 10, 22, 18, 30)
  expect(alertsFileName({ format: 'csv' }, now)).toBe('alerts-20261122T1830Z.csv')
  expect(alertsFileName({ condition: 'endpoint-off', format: 'ndjson' }, now)).toBe(
    'alerts-endpoint-off-20261122T1830Z.ndjson',
  )
})
