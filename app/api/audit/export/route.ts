import { AuditExportSchema, exportAudit } from '#lib/exports/export-audit.ts'
import { answerFile, ticketOf } from '../../answer-file.ts'

/** The entries of the audit that match, as CSV or lines of JSON (`?format=ndjson`). */
export async function GET(request: Request): Promise<Response> {
  const asked = AuditExportSchema.parse(Object.fromEntries(new URL(request.url).searchParams))
  const type = asked.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson'
  return answerFile(request, `audit.${asked.format}`, type, (caller) =>
    exportAudit(caller, asked, ticketOf(request)),
  )
}
