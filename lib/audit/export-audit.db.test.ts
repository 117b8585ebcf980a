import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput, NotAllowed, SignInAgain } from '#lib/platform/refusals.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { addSecret } from '../../test/service.ts'
import { textOf } from '../../test/text-of.ts'
import { type AuditExport, allowAuditExport, exportAudit } from './export-audit.ts'
import { listAudit } from './list-audit.ts'
import { recordAuditAlone } from './record-audit.ts'

const auditor = callerWith('auditor')
const browser = newBrowser()
const target = crypto.randomUUID()
const reason = 'for a quarter'
const asked = { action: 'endpoint.', format: 'csv' } as const
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  const entry = {
    actor: callerWith('admin'),
    action: 'endpoint.create',
    target,
    reason: 'for =tests',
  } as const
  await recordAuditAlone({ ...entry, outcome: 'done' }, browser)
})
afterAll(() => database.stop())

it('exports what matches as CSV that is safe in a spreadsheet, or as JSON, with a reason, and all admins are told', async () => {
  const read = async (wanted: AuditExport) => {
    const { ticket } = await allowAuditExport(auditor, { ...wanted, reason }, browser)
    return (await Array.fromAsync(await exportAudit(auditor, wanted, ticket))).join('')
  }
  const [head, line, end] = (await read(asked)).split('\r\n')
  expect(head).toMatch(/^id,at,actor,actorName,/)
  expect(line).toContain(`,endpoint.create,${target},done,for =tests,`)
  expect(end).toBe('')
  const [json = '', rest] = (await read({ ...asked, format: 'ndjson' })).split('\n')
  expect(JSON.parse(json)).toMatchObject({ action: 'endpoint.create', target })
  expect(rest).toBe('')
  const { rows } = await listAudit(auditor, { action: 'audit.export' })
  const detailsOf = (format: string) => [
    { name: 'action', value: 'endpoint.' },
    { name: 'format', value: format },
  ]
  expect(rows).toMatchObject([
    { reason, details: detailsOf('ndjson') },
    { reason, details: detailsOf('csv') },
  ])
  const { rows: reported } = await pool().query('SELECT kind, actor, reason, facts FROM admin_notice')
  const notice = { kind: 'data-exported', actor: auditor.id, reason, facts: { what: 'entries of the audit' } }
  expect(reported).toEqual([notice, notice])
})

it.each(['jo@shop.example', 'KD-4711', 'DE89 3704 0044 0532 0130 00'])(
  'keeps no text of an address that may be somebody’s, as no erasure reaches the audit: %s',
  async (text) => {
    for (const name of ['about', 'who'] as const)
      await expect(
        allowAuditExport(auditor, { [name]: text, format: 'csv', reason }, browser),
        name,
      ).rejects.toThrow(InvalidInput)
    const { rows } = await pool().query('SELECT FROM audit WHERE strpos(details::text, $1) > 0', [text])
    expect(rows).toEqual([])
  },
)

it('keeps the ids of an address, as the form names them', async () => {
  const about = `User ID${target.toUpperCase()}`
  const { ticket } = await allowAuditExport(auditor, { about, format: 'csv', reason }, browser)
  const file = await Array.fromAsync(await exportAudit(auditor, { about, format: 'csv' }, ticket))
  expect(file.join('')).toContain(target)
  const { rows } = await listAudit(auditor, { action: 'audit.export' })
  expect(rows[0]?.details).toEqual([
    { name: 'about', value: target },
    { name: 'format', value: 'csv' },
  ])
})

it('asks which targets are companies for a format alone that says so', async () => {
  for (const [format, asks] of [
    ['csv', 0],
    ['ndjson', 1],
  ] as const) {
    const { ticket } = await allowAuditExport(auditor, { ...asked, format, reason }, browser)
    const spy = vi.spyOn(pool(), 'query')
    await Array.fromAsync(await exportAudit(auditor, { ...asked, format }, ticket))
    const sent = spy.mock.calls.map(([sql]) => textOf(sql))
    spy.mockRestore()
    expect(sent.filter((sql) => sql.includes('linked_corporates'))).toHaveLength(asks)
  }
})

it('tells an auditor of no check of money laundering that was taken off the overview', async () => {
  const entry = { actor: callerWith('admin'), action: 'overview.mute', target: crypto.randomUUID() } as const
  const snooze = { ...entry, outcome: 'done', reason: 'It went badly', details: { kind: 'aml' } } as const
  await recordAuditAlone(snooze, browser)
  for (const format of ['csv', 'ndjson'] as const) {
    const wanted = { action: 'overview.mute', format } as const
    const { ticket } = await allowAuditExport(auditor, { ...wanted, reason }, browser)
    const text = (await Array.fromAsync(await exportAudit(auditor, wanted, ticket))).join('')
    expect(text).toContain(callerWith('admin').role)
    expect(text).not.toMatch(new RegExp(`aml|badly|${entry.target}`))
  }
})

it('tells compliance of no address of an endpoint', async () => {
  const compliance = callerWith('compliance')
  const url = 'https://shop.example/…'
  const entry = { actor: callerWith('admin'), action: 'endpoint.create', outcome: 'done' } as const
  await recordAuditAlone({ ...entry, target: url, details: { url } }, browser)
  for (const format of ['csv', 'ndjson'] as const) {
    const wanted = { action: 'endpoint.create', format } as const
    const { ticket } = await allowAuditExport(compliance, { ...wanted, reason }, browser)
    const text = (await Array.fromAsync(await exportAudit(compliance, wanted, ticket))).join('')
    expect(text).toContain(target)
    expect(text).not.toContain('shop.example')
  }
})

it('allows one session one file for a minute', async () => {
  const { ticket } = await allowAuditExport(auditor, { ...asked, reason }, browser)
  for (const role of ['end-user', 'support'] as const) {
    await expect(allowAuditExport(callerWith(role), { ...asked, reason }, browser)).rejects.toThrow(
      NotAllowed,
    )
    await expect(exportAudit(callerWith(role), asked, ticket)).rejects.toThrow(NotAllowed)
  }
  const stale = callerWith('auditor', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(allowAuditExport(stale, { ...asked, reason }, browser)).rejects.toThrow(SignInAgain)
  await expect(exportAudit(callerWith('auditor'), asked, ticket)).rejects.toThrow(NotAllowed)
  await expect(exportAudit(auditor, { format: 'csv' }, ticket)).rejects.toThrow(NotAllowed)
  await expect(exportAudit(auditor, asked, '')).rejects.toThrow(NotAllowed)
  addSecret()
  await exportAudit(auditor, asked, ticket)
  const later = `${Date.now() + 90_000}.${ticket.split('.')[1]}`
  await expect(exportAudit(auditor, asked, later)).rejects.toThrow(NotAllowed)
})
