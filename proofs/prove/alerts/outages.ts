import { wordsOfAlert } from '../../../lib/operations/labels/alert-labels.ts'
import { type ConditionCode, parseCondition } from '../../../lib/operations/rules/alert-conditions.ts'
import { sleep } from '../faults/test-bed.ts'
import { causes } from './causes.ts'
import { type AlertStage, waitFor } from './open-stage.ts'
import { type Channel, channels, hookKinds, readTexts } from './sinks.ts'

/** An outage hits Rampart or a channel while alerts change. It answers what held, or throws. */
export const outages: Readonly<Record<string, (stage: AlertStage) => Promise<string>>> = {
  database: async (stage) => {
    await stage.changeRule('service-away', { threshold: 0 })
    await cause(stage, 'dead-letters')
    await waitFor(async () => ((await firing(stage)).includes('dead-letters') ? null : 'an alert'), 60)
    await stage.database.stop()
    await stage.service.kill('SIGKILL')
    // The conditions about processes need a minute to fire.
    await sleep(75_000)
    await stage.database.start()
    // Deliveries could not be taken either.
    const expected = ['dead-letters', 'service-away', 'deliveries-missed'] as const
    await reported(stage, expected, false)
    await stage.service.start()
    await mend(stage, 'dead-letters')
    await mend(stage, 'deliveries-missed')
    await reported(stage, expected, true)
    const others = (await firing(stage)).filter((code) => !expected.some((one) => one === code))
    if (others.length > 0) throw new Error(`It also said ${others}`)
    return '75 s without a database: alerts of before, of meanwhile and of the outage were each said once, and nothing else'
  },

  mail: async (stage) => {
    await stage.mails.goAway()
    await cause(stage, 'audit-broken')
    const tries = async () =>
      (
        await stage.ask<{ tries: number }>(
          `SELECT tries FROM mail WHERE kind = 'alerts' AND claimed_until IS NULL`,
        )
      )[0]?.tries ?? 0
    let tried = 0
    // The pauses of these tries together are an hour.
    for (; tried < 6; tried++) {
      await waitFor(async () => {
        await isMissing(stage, ['audit-broken'], false)
        return (await tries()) > tried ? null : `try ${tried + 1}`
      }, 120)
      await stage.ask(`UPDATE mail SET next_at = now() WHERE state = 'waiting' AND claimed_until IS NULL`)
    }
    if (stage.mails.received().length > 0) throw new Error('A mail came while the server was away')
    await stage.mails.comeBack()
    await waitFor(async () => {
      await stage.ask(`UPDATE mail SET next_at = now() WHERE state = 'waiting' AND claimed_until IS NULL`)
      return isMissing(stage, ['audit-broken'], false)
    }, 120)
    await mend(stage, 'audit-broken')
    await reported(stage, ['audit-broken'], true)
    return `${tried} tries while the mail server was away for an hour, then one mail, and one of the end`
  },

  replicas: async (stage) => {
    await stage.replica.start()
    try {
      await cause(stage, 'audit-broken')
      await reported(stage, ['audit-broken'], false)
      await stage.measuring.kill('SIGKILL')
      await mend(stage, 'audit-broken')
      await reported(stage, ['audit-broken'], true)
    } finally {
      await stage.replica.kill('SIGTERM')
      await stage.measuring.start()
    }
    return 'two replicas, one of them killed between beginning and end: each said once'
  },

  killed: async (stage) => {
    const copies = () =>
      hookKinds.slice(0, 3).map((one) => stage.hooks.taken.filter(({ kind }) => kind === one).length)
    stage.hooks.answer(false)
    await cause(stage, 'audit-broken')
    await waitFor(async () => {
      await isMissing(stage, ['audit-broken'], false)
      return copies().every((count) => count > 0) ? null : 'messages under way'
    }, 120)
    await stage.measuring.kill('SIGKILL')
    stage.hooks.answer(true)
    await stage.ask(
      `UPDATE alert_message SET claimed_until = now() - interval '1 s' WHERE claimed_until IS NOT NULL`,
    )
    await stage.measuring.start()
    await waitFor(async () => {
      const left = await stage.ask(
        `SELECT FROM alert_message WHERE state = 'waiting' AND unsure = 1 AND claimed_until IS NULL`,
      )
      return left.length === 3 ? null : `${left.length} that may have arrived`
    }, 120)
    if (copies().some((count) => count !== 1)) throw new Error(`Repeated at once: ${copies()}`)
    await stage.ask(`UPDATE alert_message SET next_at = now() WHERE state = 'waiting'`)
    await waitFor(async () => (copies().every((count) => count === 2) ? null : `${copies()} copies`), 60)
    await sleep(20_000)
    if (copies().some((count) => count !== 2)) throw new Error(`More than one copy: ${copies()}`)
    const ids = new Set(stage.hooks.taken.flatMap(({ alerts }) => alerts.map(({ messageId }) => messageId)))
    if (ids.size !== 1) throw new Error('A copy has another id')
    await mend(stage, 'audit-broken')
    await waitFor(async () => {
      await isMissing(stage, ['audit-broken'], true)
      return copies().every((count) => count === 3) ? null : `${copies()} messages`
    }, 300)
    return 'killed while three channels had a message and had not answered: once more after half an hour, the webhook with its id'
  },

  heartbeat: async (stage) => {
    const calls = () => stage.hooks.taken.filter(({ kind }) => kind === 'heartbeat').length
    await waitFor(async () => (calls() >= 2 ? null : `${calls()} calls`), 180)
    for (const one of [stage.measuring, stage.server, stage.projector]) await one.kill('SIGKILL')
    const before = calls()
    await sleep(90_000)
    if (calls() > before) throw new Error('It was called while Rampart was dead')
    await stage.server.start()
    await stage.projector.start()
    if (stage.measuring !== stage.server) await stage.measuring.start()
    await waitFor(async () => (calls() > before ? null : 'a call'), 180)
    return 'called each minute, not in 90 s after Rampart was killed, and again afterwards'
  },
}

const cause = (stage: AlertStage, code: ConditionCode) => causes[code].cause(stage)
const mend = (stage: AlertStage, code: ConditionCode) => causes[code].mend(stage)

/** A channel said so many times that alerts of one condition fired, and that they were resolved. */
interface Reported {
  readonly fired: number
  readonly resolved: number
}

interface Tally {
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

const reported = (stage: AlertStage, codes: readonly ConditionCode[], ended: boolean) =>
  waitFor(() => isMissing(stage, codes, ended), 15 * 60)

const firing = async (stage: AlertStage) =>
  (await stage.ask<{ condition: string }>('SELECT condition FROM alert')).map(({ condition }) => condition)
