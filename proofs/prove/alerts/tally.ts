import { wordsOfAlert } from '../../../lib/operations/labels/alert-labels.ts'
import { type ConditionCode, parseCondition } from '../../../lib/operations/rules/alert-conditions.ts'
import { sleep } from '../faults/test-bed.ts'
import { causes } from './causes.ts'
import type { AlertStage } from './open-stage.ts'
import { type Channel, channels, readTexts } from './sinks.ts'

/** A channel said so many times that alerts of one condition fired, and that they were resolved. */
interface Reported {
  readonly fired: number
  readonly resolved: number
}

export interface Tally {
  readonly condition: ConditionCode
  /** The database has these alerts of the condition. */
  readonly alerts: readonly { readonly id: string; readonly subject: string; readonly isResolved: boolean }[]
  readonly reported: Readonly<Record<Channel, Reported>>
}

/** The function counts what each channel said since the proof began, for each condition that ever fired. */
export async function countAlerts(stage: AlertStage): Promise<Tally[]> {
  const rows = await stage.ask<{ id: string; condition: string; subject: string; isResolved: boolean }>(
    `SELECT id, condition, subject, resolved_at IS NOT NULL AS "isResolved" FROM alert ORDER BY id`,
  )
  const texts = new Map(
    channels.map((channel) => [
      channel,
      readTexts(channel, { taken: stage.hooks.taken, mails: stage.mails.received() }),
    ]),
  )
  const signed = stage.hooks.taken.flatMap(({ alerts }) => alerts)
  return [...Map.groupBy(rows, ({ condition }) => condition)].flatMap(([code, alerts]) => {
    const condition = parseCondition(code)
    if (condition === null) return []
    const ofText = (channel: Channel): Reported => ({
      fired: occurrences(texts.get(channel) ?? [], causes[condition].says),
      resolved: occurrences(texts.get(channel) ?? [], resolvedPattern(condition)),
    })
    const ofWebhook = (change: string) =>
      signed.filter((one) => one.condition === condition && one.change === change).length
    const reported = {
      mail: ofText('mail'),
      slack: ofText('slack'),
      teams: ofText('teams'),
      webhook: { fired: ofWebhook('fired'), resolved: ofWebhook('resolved') },
    }
    return [{ condition, alerts, reported }]
  })
}

const occurrences = (texts: readonly string[], pattern: RegExp): number =>
  texts.reduce((sum, text) => sum + [...text.matchAll(new RegExp(pattern, 'g'))].length, 0)

const resolvedPattern = (condition: ConditionCode) =>
  new RegExp(`Resolved: ${wordsOfAlert(condition).title}(?= \\(|\\.)`)

/** The causes had these people, addresses and transactions, and no message may repeat them. */
const personal = /ana\.lima|203\.0\.113|kim|transaction:|somebody else/i

/** The line says which channels repeated something personal; null for none. */
export function whatIsPersonal({ hooks, mails }: AlertStage): string | null {
  const named = channels.flatMap((channel) =>
    readTexts(channel, { taken: hooks.taken, mails: mails.received() }).some((text) => personal.test(text))
      ? [channel]
      : [],
  )
  return named.length === 0 ? null : `${named.join(', ')} repeated something personal`
}

/** The line says which channels did not say each alert once; null when all did. */
export function whatIsWrong({ condition, alerts, reported }: Tally, ended: boolean): string | null {
  const [fired, resolved] = [alerts.length, ended ? alerts.length : 0]
  const subjects = new Set(alerts.map(({ subject }) => subject))
  const wrong = channels.flatMap((channel) =>
    reported[channel].fired === fired && reported[channel].resolved === resolved
      ? []
      : [`${channel} ${reported[channel].fired} fired, ${reported[channel].resolved} resolved`],
  )
  if (subjects.size < alerts.length) wrong.push(`${alerts.length} alerts for ${subjects.size} subjects`)
  if (ended && alerts.some(({ isResolved }) => !isResolved)) wrong.push('not all have ended')
  return wrong.length === 0 ? null : `${condition} (${fired}): ${wrong.join(', ')}`
}

/** The table has a line for each condition, and `fired/resolved` for each channel. */
export function tableOf(tallies: readonly Tally[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(at === 0 ? 20 : 8)).join(' | ')} |`
  return [
    line(['condition', 'alerts', ...channels]),
    line(['---', '---', ...channels.map(() => '---')]),
    ...tallies.map(({ condition, alerts, reported }) =>
      line([
        condition,
        String(alerts.length),
        ...channels.map((channel) => `${reported[channel].fired}/${reported[channel].resolved}`),
      ]),
    ),
  ].join('\n')
}

/** The line says what the channels have not said yet of these conditions; null when they said each alert, or each end, once. */
export async function isMissing(
  stage: AlertStage,
  codes: readonly ConditionCode[],
  ended: boolean,
): Promise<string | null> {
  await sleep(500)
  if (stage.isQuick) await hasten(stage)
  const tallies = await countAlerts(stage)
  const wrong = codes.flatMap((code) => {
    const tally = tallies.find(({ condition }) => condition === code)
    return tally === undefined ? [`${code}: no alert`] : (whatIsWrong(tally, ended) ?? [])
  })
  return wrong.length === 0 ? null : wrong.join('; ')
}

/** The stored times are as if the waits for other news were over. */
async function hasten(stage: AlertStage): Promise<void> {
  await stage.ask('UPDATE alert_news SET due_at = now() WHERE message_id IS NULL AND due_at > now()')
  await stage.ask(
    `UPDATE alert SET ok_since = ok_since - interval '1 minute' WHERE resolved_at IS NULL AND ok_since > now() - interval '1 minute'`,
  )
}
