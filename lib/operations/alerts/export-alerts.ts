import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { type AllowedList, giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { type FileColumn, fileText, formats } from '#lib/platform/rules/csv.ts'
import { exportFileName } from '#lib/words/labels/formats.ts'
import { plainSubject } from '../labels/alert-labels.ts'
import { type ConditionCode, conditionCodes } from '../rules/alert-conditions.ts'
import { type AlertView, listAlertHistory } from './alerts.ts'

export const AlertsExportSchema = z.object({
  condition: z.enum(conditionCodes).optional(),
  format: z.enum(formats),
})

export type AlertsExport = z.output<typeof AlertsExportSchema>

export const AllowAlertsExportSchema = AlertsExportSchema.extend({ reason: ReasonSchema })

/** This session may fetch the resolved alerts of its role for one minute. Throws `NotAllowed` and `SignInAgain`. */
export async function allowAlertsExport(
  caller: Caller,
  { reason, ...asked }: z.output<typeof AllowAlertsExportSchema>,
  source: CallSource,
): Promise<AllowedList> {
  requirePermission(caller, 'see-alerts')
  requireFreshSignIn(caller)
  const { condition, format } = asked
  const entry = { action: 'alert.export', details: { ...(condition && { condition }), format } } as const
  const what = 'the history of alerts'
  return {
    ticket: await giveTicket(caller, { file: fileOf(asked), what, entry, reason }, source),
    format,
    total: null,
  }
}

/**
 * The resolved alerts come in portions, the latest end first, as CSV or as lines of JSON. The session must have been
 * allowed to fetch them. Throws `NotAllowed`.
 */
export async function exportAlerts(
  caller: Caller,
  asked: AlertsExport,
  ticket: string,
): Promise<AsyncGenerator<string>> {
  requirePermission(caller, 'see-alerts')
  requireTicket(caller, fileOf(asked), ticket)
  return fileText(asked.format, everyAlert(caller, asked), columns)
}

/** The file's name says what it holds and when it was made. */
export const alertsFileName = ({ condition, format }: AlertsExport, now: number): string =>
  `${exportFileName('alerts', [condition], now)}.${format}`

/** The schema puts the filter and the format into a fixed order. */
const fileOf = (asked: AlertsExport) => `alerts ${JSON.stringify(asked)}`

/** Each step reads this many alerts. */
const rowsOfStep = 200

async function* everyAlert(
  caller: Caller,
  { condition = null }: { condition?: ConditionCode | null | undefined },
) {
  for (let before: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof listAlertHistory>> = await listAlertHistory(caller, {
      before,
      condition,
      limit: rowsOfStep,
    })
    yield page.alerts
    if (page.next === null) return
    before = page.next
  }
}

const columns: readonly FileColumn<AlertView>[] = [
  ['alertId', ({ id }) => id],
  ['condition', ({ condition }) => condition],
  ['urgency', ({ urgency }) => urgency],
  ['subject', ({ condition, subject }) => plainSubject(condition, subject)],
  ['beganAt', ({ beganAt }) => beganAt],
  ['firedAt', ({ firedAt }) => firedAt],
  ['resolvedAt', ({ resolvedAt }) => resolvedAt],
  ['worst', ({ worst }) => worst],
  ['threshold', ({ threshold }) => threshold],
  ['unit', ({ unit }) => unit],
  ['acknowledgedAt', ({ acknowledged }) => acknowledged?.at ?? null],
  ['acknowledgedBy', ({ acknowledged }) => acknowledged?.by ?? null],
  ['messagesSent', ({ messages }) => messages.sent],
  ['messagesFailed', ({ messages }) => messages.failed],
]
