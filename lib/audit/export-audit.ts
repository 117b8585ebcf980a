import 'server-only'
import { csvLine } from '#lib/domain/text/csv.ts'
import type { Caller } from '#lib/request/caller.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import type { AuditView } from './audit-view.ts'
import { type AuditFilters, listAudit } from './list-audit.ts'
import { recordAuditAlone } from './record-audit.ts'

/** Entries of one step. */
const rowsOfStep = 200

/** All entries that match, in portions, as CSV or as lines of JSON. That it was exported is an entry too. Throws `NotAllowed`. */
export async function exportAudit(
  caller: Caller,
  filters: AuditFilters,
  format: 'csv' | 'ndjson',
  source: CallSource,
): Promise<AsyncGenerator<string>> {
  const first = await listAudit(caller, { ...filters, limit: rowsOfStep })
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const details = { format, ...Object.fromEntries(given) }
  await recordAuditAlone({ actor: caller, action: 'audit.export', outcome: 'done', details }, source)
  return lines(caller, filters, first, format === 'csv' ? toCsv : toJson)
}

async function* lines(
  caller: Caller,
  filters: AuditFilters,
  first: Awaited<ReturnType<typeof listAudit>>,
  write: (row: AuditView) => string,
) {
  if (write === toCsv) yield csvLine(columns.map(([name]) => name))
  for (let page = first; ; ) {
    yield page.rows.map(write).join('')
    if (page.next === null) return
    page = await listAudit(caller, { ...filters, before: page.next, limit: rowsOfStep })
  }
}

const toJson = (row: AuditView) => `${JSON.stringify(row)}\n`

const toCsv = (row: AuditView) => csvLine(columns.map(([, read]) => read(row)))

const columns: readonly [name: string, read: (row: AuditView) => string | null][] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['actor', ({ actor }) => actor?.id ?? null],
  ['actorName', ({ actor }) => actor?.name ?? null],
  ['actorRole', ({ actor }) => actor?.role ?? null],
  ['action', ({ action }) => action],
  ['target', ({ target }) => target],
  ['outcome', ({ outcome }) => outcome],
  ['reason', ({ reason }) => reason],
  ['details', ({ details }) => details.map(({ name, value }) => `${name}: ${value}`).join('; ')],
  [
    'changes',
    ({ changes }) => changes.map(({ name, before, after }) => `${name}: ${before} → ${after}`).join('; '),
  ],
  ['ip', ({ ip }) => ip],
  ['userAgent', ({ userAgent }) => userAgent],
]
