import { AlertsExportSchema, alertsFileName, exportAlerts } from '#lib/operations/alerts/export-alerts.ts'
import { json } from '../../answer-caller.ts'
import { answerFile, ticketOf, typeOfFormat } from '../../answer-file.ts'

/** The file has the resolved alerts, as CSV or lines of JSON. */
export async function GET(request: Request): Promise<Response> {
  const asked = AlertsExportSchema.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (!asked.success) return json({ error: 'These are no filters of a list' }, 400)
  const name = alertsFileName(asked.data, Date.now())
  return answerFile(request, name, typeOfFormat[asked.data.format], (caller) =>
    exportAlerts(caller, asked.data, ticketOf(request)),
  )
}
