import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { type AuditFacts, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { unitLabels, wordsOfAlert } from '../labels/alert-labels.ts'
import { type AlertRule, defaultRule } from '../rules/alert-changes.ts'
import { type ConditionCode, conditionCodes, conditionOf, type Urgency } from '../rules/alert-conditions.ts'

/** The page shows a rule in this form. */
export interface AlertRuleView extends AlertRule {
  readonly urgency: Urgency
  readonly title: string
  /** The sentence says what is measured. */
  readonly measures: string
  readonly whatToDo: string
  readonly unit: string
  /** `at-least`: fires when the value reaches the threshold. `at-most`: fires when it sinks to it. */
  readonly fires: 'at-least' | 'at-most'
  readonly least: number
  readonly most: number
  readonly defaultThreshold: number
  /** The form sends this text back, so that nobody overwrites what they have not seen. */
  readonly seen: string
}

/** `listAlertRules` lists the rule of each condition, in the order of `alertConditions`. It throws `NotAllowed`. */
export async function listAlertRules(caller: Caller): Promise<readonly AlertRuleView[]> {
  requirePermission(caller, 'manage-settings')
  const stored = await readRows(pool())
  return conditionCodes.map((condition) => {
    const { urgency, unit, fires, least, most, threshold: defaultThreshold } = conditionOf(condition)
    const { title, measures, whatToDo } = wordsOfAlert(condition)
    const row = stored.get(condition)
    const rule = row ? toRule(condition, row) : defaultRule(condition)
    const words = { urgency, title, measures, whatToDo, unit: unitLabels[unit] }
    return { ...rule, ...words, fires, least, most, defaultThreshold, seen: seenOf(row) }
  })
}

/** `readAlertRules` reads the rule of each condition. It checks no permission. */
export async function readAlertRules(
  database: Pick<pg.Pool, 'query'>,
): Promise<ReadonlyMap<ConditionCode, AlertRule>> {
  const stored = await readRows(database)
  return new Map(
    conditionCodes.map((condition) => {
      const row = stored.get(condition)
      return [condition, row ? toRule(condition, row) : defaultRule(condition)]
    }),
  )
}

export const ChangeAlertRuleSchema = z
  .object({
    condition: z.enum(conditionCodes, 'This is no condition of an alert.'),
    enabled: z.enum(['true', 'false'], 'Choose one.').transform((text) => text === 'true'),
    threshold: z.coerce.number('Give a number.'),
    /** All channels get the alerts, or only the chosen ones. */
    to: z.enum(['all', 'chosen'], 'Choose one.'),
    channels: z.preprocess(
      (given) => (given === undefined || given === '' ? [] : [given].flat()),
      z.array(z.guid('This is not the id of a channel.')).max(50, 'At most 50 channels.'),
    ),
    repeatHours: z.coerce
      .number('Give a number.')
      .int('Whole hours.')
      .min(0, 'At least 0.')
      .max(720, 'At most 720.'),
    reason: ReasonSchema,
    seen: z.string().max(100).optional(),
  })
  .superRefine(({ condition, threshold }, context) => {
    const { least, most } = conditionOf(condition)
    if (threshold < least || threshold > most)
      context.addIssue({ code: 'custom', message: `From ${least} to ${most}.`, path: ['threshold'] })
  })

/**
 * `changeAlertRule` changes when a condition fires and who is notified. All admins learn of it. It throws `NotAllowed`,
 * `SignInAgain`, `InvalidInput` and `Refused`.
 */
export async function changeAlertRule(
  caller: Caller,
  { reason, seen, to, ...form }: z.output<typeof ChangeAlertRuleSchema>,
  source: CallSource,
): Promise<{ readonly condition: ConditionCode }> {
  requirePermission(caller, 'manage-settings')
  requireFreshSignIn(caller)
  const { condition } = form
  const after: AlertRule = { ...form, channels: to === 'all' ? null : form.channels }
  if (after.channels?.length === 0 && after.enabled)
    throw new InvalidInput({ channels: 'Choose at least one channel, or switch the rule off.' })
  await inTransaction(pool(), async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.alerts])
    const row = (await readRows(tx)).get(condition)
    const before = row ? toRule(condition, row) : defaultRule(condition)
    if (seen !== undefined && seen !== seenOf(row)) throw new Refused('changed-meanwhile')
    if (JSON.stringify(factsOf(before)) === JSON.stringify(factsOf(after)))
      throw new Refused('nothing-to-change')
    const { enabled, threshold, channels, repeatHours } = after
    await tx.query(CHANGE, [condition, enabled, threshold, channels, repeatHours])
    const change = { before: factsOf(before), after: factsOf(after) }
    const entry = { actor: caller, action: 'alert.rule-change', target: condition, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, reason, change }, source)
    await tellAdmins(tx, { kind: 'alerts-changed', actor: caller, reason })
  })
  return { condition }
}

const factsOf = ({ enabled, threshold, channels, repeatHours }: AlertRule): AuditFacts => ({
  enabled,
  threshold,
  channels: channels === null ? 'all' : channels.toSorted(),
  repeatHours,
})

interface RuleRow {
  readonly condition: string
  readonly enabled: boolean
  readonly threshold: number
  readonly channels: readonly string[] | null
  readonly repeat_hours: number
  readonly updated_at: Date
}

const toRule = (
  condition: ConditionCode,
  { enabled, threshold, channels, repeat_hours: repeatHours }: RuleRow,
): AlertRule => ({ condition, enabled, threshold, channels, repeatHours })

const seenOf = (row: RuleRow | undefined) => row?.updated_at.toISOString() ?? 'default'

async function readRows(database: Pick<pg.Pool, 'query'>): Promise<ReadonlyMap<string, RuleRow>> {
  const { rows } = await database.query<RuleRow>(RULES)
  return new Map(rows.map((row) => [row.condition, row]))
}

const RULES = 'SELECT condition, enabled, threshold, channels, repeat_hours, updated_at FROM alert_rule'

const CHANGE = `
  INSERT INTO alert_rule (condition, enabled, threshold, channels, repeat_hours) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (condition) DO UPDATE SET enabled = EXCLUDED.enabled, threshold = EXCLUDED.threshold,
    channels = EXCLUDED.channels, repeat_hours = EXCLUDED.repeat_hours, updated_at = clock_timestamp()`
