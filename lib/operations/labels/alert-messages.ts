import { type ConditionCode, conditionOf, pageOfAlert } from '../rules/alert-conditions.ts'
import {
  type AlertChange,
  alertChangeLabels,
  alertSubjectLabel,
  plainSubject,
  urgencyLabels,
  wordsOfAlert,
} from './alert-labels.ts'

/** A message is about this alert. Times are ISO 8601. */
export interface MessageAlert {
  readonly id: string
  readonly condition: ConditionCode
  readonly subject: string
  readonly change: AlertChange
  readonly value: number
  readonly threshold: number
  readonly beganAt: string
  /** The time is null while the alert fires. */
  readonly resolvedAt: string | null
}

/** One message is about these alerts; none for a test. */
export interface AlertText {
  readonly alerts: readonly MessageAlert[]
  /** The dashboard's public address, which the links of the message lead to. */
  readonly dashboard: string
  /** The message was made at this time. */
  readonly at: string
}

/** A message for people has at most this many alerts; the page has all. */
const mostShown = 25

/** The mail for one member. */
export function mailOfAlerts(text: AlertText): { readonly subject: string; readonly text: string } {
  const { alerts, dashboard } = text
  const host = new URL(dashboard).hostname
  const [first] = alerts
  const subject = alerts.length === 1 && first ? headlineOf(first) : headlineOfMany(alerts)
  const shown = alerts.slice(0, mostShown).map((alert) => linesOf(alert, dashboard).join('\n  '))
  return {
    subject: `${subject} (Rampart at ${host})`,
    text: `${shown.join('\n\n')}${moreOf(alerts)}

All alerts: ${pageUrl(dashboard, '/alerts')}
What you receive: ${pageUrl(dashboard, '/alerts/mine')}
`,
  }
}

/** The body of an incoming webhook of Slack. */
export function slackOfAlerts(text: AlertText): { readonly text: string } {
  const { alerts, dashboard } = text
  if (alerts.length === 0) return { text: escapeSlack(testOf(dashboard)) }
  const shown = alerts.slice(0, mostShown).map((alert) => {
    const [head = '', ...more] = linesOf(alert, dashboard, false)
    const link = `<${pageUrl(dashboard, pageOfAlert(alert.condition, alert.subject))}|Open>`
    return [`*${escapeSlack(head)}*`, ...more.map(escapeSlack), link].join('\n')
  })
  return { text: shown.join('\n\n') + moreOf(alerts) }
}

/** Slack reads these three letters as its own marks. */
const escapeSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The body of a Teams workflow that is started by a webhook: one Adaptive Card. */
export function teamsOfAlerts(text: AlertText): object {
  const { alerts, dashboard } = text
  const blocks =
    alerts.length === 0
      ? [block(testOf(dashboard))]
      : alerts.slice(0, mostShown).flatMap((alert) => {
          const [head = '', ...more] = linesOf(alert, dashboard, false)
          const link = `[Open](${pageUrl(dashboard, pageOfAlert(alert.condition, alert.subject))})`
          return [
            { ...block(head), weight: 'Bolder', separator: true, color: colorOf(alert) },
            ...[...more, link].map((line) => ({ ...block(line), spacing: 'None' })),
          ]
        })
  const more = moreOf(alerts).trim()
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: more === '' ? blocks : [...blocks, block(more)],
          actions: [{ type: 'Action.OpenUrl', title: 'All alerts', url: pageUrl(dashboard, '/alerts') }],
        },
      },
    ],
  }
}

const block = (text: string) => ({ type: 'TextBlock', text, wrap: true })

function colorOf({ condition, change, resolvedAt }: MessageAlert) {
  if (resolvedAt !== null) return change === 'unwatched' ? 'Default' : 'Good'
  return conditionOf(condition).urgency === 'urgent' ? 'Attention' : 'Warning'
}

/** The body of a signed webhook, for programs. `docs/alerts.md` describes it. */
export function webhookOfAlerts({ alerts, dashboard, at }: AlertText): object {
  return {
    type: alerts.length === 0 ? 'alerts.test' : 'alerts.changed',
    timestamp: at,
    data: {
      dashboard,
      alerts: alerts.map(({ id, condition, subject, change, value, threshold, beganAt, resolvedAt }) => {
        const { urgency, unit } = conditionOf(condition)
        const { title, summary, whatToDo } = wordsOfAlert(condition)
        return {
          id,
          condition,
          subject: plainSubject(condition, subject),
          // Programs know three changes, and close what they opened.
          change: change === 'unwatched' ? 'resolved' : change,
          state: resolvedAt === null ? 'firing' : 'resolved',
          urgency,
          title,
          summary: `${summary(value, subject)}.`,
          whatToDo,
          value,
          threshold,
          unit,
          beganAt,
          resolvedAt,
          url: pageUrl(dashboard, pageOfAlert(condition, subject)),
        }
      }),
    },
  }
}

const testOf = (dashboard: string) =>
  `An admin of Rampart at ${new URL(dashboard).hostname} sent this to see whether alerts arrive. They do.`

function linesOf(alert: MessageAlert, dashboard: string, withLink = true): string[] {
  const { condition, subject, change, beganAt, resolvedAt } = alert
  const { whatToDo } = wordsOfAlert(condition)
  const link = withLink ? [pageUrl(dashboard, pageOfAlert(condition, subject))] : []
  const head = `${headlineOf(alert)}.`
  if (resolvedAt === null) return [head, `Since ${utc(beganAt)}. ${whatToDo}`, ...link]
  return change === 'unwatched'
    ? [head, `It began at ${utc(beganAt)} and may last: its rule was switched off or changed.`, ...link]
    : [head, `It lasted from ${utc(beganAt)} to ${utc(resolvedAt)}.`, ...link]
}

function headlineOf({ condition, subject, change, value, resolvedAt }: MessageAlert): string {
  const { title, summary } = wordsOfAlert(condition)
  if (resolvedAt !== null) {
    const about = alertSubjectLabel(condition, subject)
    return `${alertChangeLabels[change === 'unwatched' ? change : 'resolved']}: ${title}${about === '' ? '' : ` (${about})`}`
  }
  const urgent = conditionOf(condition).urgency === 'urgent' ? `${urgencyLabels.urgent}: ` : ''
  const again = change === 'repeated' ? `${alertChangeLabels.repeated}: ` : ''
  return `${urgent}${again}${summary(value, subject)}`
}

function headlineOfMany(alerts: readonly MessageAlert[]): string {
  const firing = alerts.filter(({ resolvedAt }) => resolvedAt === null).length
  const unwatched = alerts.filter(({ change }) => change === 'unwatched').length
  const resolved = alerts.length - firing - unwatched
  const parts = [
    ...(firing > 0 ? [`${firing} ${firing === 1 ? 'alert' : 'alerts'} firing`] : []),
    ...(resolved > 0 ? [`${resolved} resolved`] : []),
    ...(unwatched > 0 ? [`${unwatched} no longer watched`] : []),
  ]
  const urgent = alerts.some(
    ({ condition, resolvedAt }) => resolvedAt === null && conditionOf(condition).urgency === 'urgent',
  )
  return `${urgent ? `${urgencyLabels.urgent}: ` : ''}${parts.join(', ')}`
}

function moreOf({ length }: readonly MessageAlert[]): string {
  const more = length - mostShown
  return more > 0 ? `\n\n${more} more ${more === 1 ? 'alert is' : 'alerts are'} on the page.` : ''
}

const pageUrl = (dashboard: string, page: string) => new URL(page, dashboard).href

const utc = (iso: string) => `${iso.slice(0, 16).replace('T', ' ')} UTC`
