import { AuditExportSchema, exportAudit } from '#lib/audit/export-audit.ts'
import { answerFile, ticketOf, typeOfFormat } from '../../answer-file.ts'

/** The file has the matching entries of the audit, as CSV or lines of JSON (`?format=ndjson`). */
export async function GET(request: Request): Promise<Response> {
  const asked = AuditExportSchema.parse(Object.fromEntries(new URL(request.url).searchParams))
  return answerFile(request, `audit.${asked.format}`, typeOfFormat[asked.format], (caller) =>
    exportAudit(caller, asked, ticketOf(request)),
  )
}
