import { exportAudit } from '#lib/audit/export-audit.ts'
import { AuditFiltersSchema } from '#lib/audit/list-audit.ts'
import { readRequestContext } from '#lib/auth/read-request-context.ts'
import { answerCaller } from '../../answer-caller.ts'
import { streamOf } from '../../stream-of.ts'

/** The entries of the audit that match, as CSV or lines of JSON (`?format=ndjson`). */
export async function GET(request: Request): Promise<Response> {
  const query = Object.fromEntries(new URL(request.url).searchParams)
  const format = query.format === 'ndjson' ? 'ndjson' : 'csv'
  return answerCaller(request, async (caller) => {
    const filters = AuditFiltersSchema.parse(query)
    const lines = await exportAudit(caller, filters, format, await readRequestContext())
    return new Response(streamOf(lines), {
      headers: {
        'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
        'content-disposition': `attachment; filename="audit.${format}"`,
        'cache-control': 'no-store',
      },
    })
  })
}
