import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { type FileColumn, fileText, formats } from '#lib/platform/rules/csv.ts'
import type { AuditView } from './audit-view.ts'
import { giveTicket, requireTicket } from './export-ticket.ts'
import { AuditFiltersSchema, listAudit, resolveFilters } from './list-audit.ts'

export const AuditExportSchema = AuditFiltersSchema.extend({ format: z.enum(formats).catch('csv') })

export type AuditExport = z.output<typeof AuditExportSchema>

export const AllowAuditExportSchema = AuditExportSchema.extend({ reason: ReasonSchema })

/** Each step reads this many entries. */
const rowsOfStep = 200

/**
 * This session may fetch the matching entries for one minute. The entry of it holds only ids, since no erasure reaches a
 * text in it. Throws `NotAllowed`, `SignInAgain` and `InvalidInput`.
 */
export async function allowAuditExport(
  caller: Caller,
  { reason, ...asked }: z.output<typeof AllowAuditExportSchema>,
  source: CallSource,
): Promise<{ readonly ticket: string }> {
  requirePermission(caller, 'read-audit')
  requireFreshSignIn(caller)
  const { format, ...filters } = asked
  const details = { ...(await resolveFilters(caller, filters)), format }
  const entry = { action: 'audit.export', details } as const
  const what = 'entries of the audit'
  return { ticket: await giveTicket(caller, { file: fileOf(asked), what, entry, reason }, source) }
}

/**
 * The matching entries come in portions, as CSV or as lines of JSON. The session must have been allowed to
 * fetch them just before. Throws `NotAllowed`.
 */
export async function exportAudit(
  caller: Caller,
  asked: AuditExport,
  ticket: string,
): Promise<AsyncGenerator<string>> {
  requirePermission(caller, 'read-audit')
  requireTicket(caller, fileOf(asked), ticket)
  const { format, ...given } = asked
  const filters = await resolveFilters(caller, given)
  // No column of the spreadsheet says which targets are companies.
  const query = { ...filters, limit: rowsOfStep, tellsCompanies: format !== 'csv' }
  const first = await listAudit(caller, query)
  return fileText(format, everyEntry(caller, query, first), columns, (entry) => entry)
}

/** The schema puts the filters into a fixed order and leaves out unset ones. */
const fileOf = (asked: AuditExport) => `audit ${JSON.stringify(asked)}`

async function* everyEntry(
  caller: Caller,
  query: Parameters<typeof listAudit>[1],
  first: Awaited<ReturnType<typeof listAudit>>,
) {
  for (let page = first; ; ) {
    yield page.rows
    if (page.next === null) return
    page = await listAudit(caller, { ...query, before: page.next })
  }
}

const columns: readonly FileColumn<AuditView>[] = [
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
