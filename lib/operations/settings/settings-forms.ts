import 'server-only'
import crypto from 'node:crypto'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import type { NoticeKind } from '#lib/audit/labels/notice-labels.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { type AuditFacts, recordAudit } from '#lib/audit/record-audit.ts'
import { eventTypes, otherEvents } from '#lib/deliveries/rules/event-types.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import {
  forgetRows,
  type Settings,
  SettingsSchema,
  settingSchemas,
  settingsChannel,
  settingsKey,
  withDefaults,
} from '#lib/platform/settings/settings.ts'

/** An empty field resets the setting to its default. */
const orDefault = <S extends z.ZodType>(schema: S) =>
  z.preprocess((text) => (text === '' ? null : text), z.union([z.null(), schema]))

/** The form had shown these values, so that nobody overwrites values that they have not seen. */
const seenSchema = z.string().max(500).optional()

const switchSchema = z.enum(['true', 'false'], 'Choose one.').transform((text) => text === 'true')

export const BrandSchema = z.object({
  merchantName: orDefault(settingSchemas.merchantName),
  mark: orDefault(settingSchemas.mark),
  legalName: orDefault(settingSchemas.legalName).optional(),
  supportContact: orDefault(settingSchemas.supportContact),
  reason: ReasonSchema,
  seen: seenSchema,
})

export const RulesSchema = z.object({
  publicSignUp: switchSchema,
  revealTicketPattern: orDefault(settingSchemas.revealTicketPattern),
  ticketAddress: orDefault(settingSchemas.ticketAddress),
  kycShareToken: switchSchema,
  verificationUrl: orDefault(settingSchemas.verificationUrl),
  reason: ReasonSchema,
  seen: seenSchema,
})

const DaysFieldSchema = z.preprocess(
  (text) => (text === '' ? undefined : Number(text)),
  settingSchemas.retentionDays.valueType.optional(),
)

/** Each type, and all other events, has its days. An empty field keeps its events for ever. */
export const RetentionSchema = z.object({
  ...Object.fromEntries([...eventTypes, otherEvents].map((type) => [type, DaysFieldSchema])),
  reason: ReasonSchema,
  seen: seenSchema,
})

/** `saveRetention` ends personal data for ever. It throws `NotAllowed`, `SignInAgain` and `Refused`. */
export async function saveRetention(
  caller: Caller,
  { reason, seen, ...days }: z.output<typeof RetentionSchema>,
  source: CallSource,
): Promise<null> {
  requireFreshSignIn(caller)
  const named = Object.entries(days).filter(([, most]) => most !== undefined)
  const retentionDays = settingSchemas.retentionDays.parse(Object.fromEntries(named))
  await changeSettings(caller, { retentionDays }, source, { reason, seen })
  return null
}

const MonthsFieldSchema = z.preprocess(
  (text) => (text === '' ? undefined : Number(text)),
  settingSchemas.logMonths.shape.bodies,
)

/** Bodies and events have their months. An empty field keeps them for ever. */
export const LogMonthsSchema = z
  .object({
    bodies: MonthsFieldSchema,
    events: MonthsFieldSchema,
    reason: ReasonSchema,
    seen: seenSchema,
  })
  .superRefine(({ bodies, events }, context) => {
    const { error } = settingSchemas.logMonths.safeParse({ bodies, events })
    for (const { message, path } of error?.issues ?? [])
      context.addIssue({ code: 'custom', message, path: [...path] })
  })

/**
 * `saveLogMonths` removes months of the log and finished subjects for ever. It throws `NotAllowed`, `SignInAgain` and
 * `Refused`.
 */
export async function saveLogMonths(
  caller: Caller,
  { reason, seen, bodies, events }: z.output<typeof LogMonthsSchema>,
  source: CallSource,
): Promise<null> {
  requireFreshSignIn(caller)
  const logMonths = {
    ...(bodies === undefined ? {} : { bodies }),
    ...(events === undefined ? {} : { events }),
  }
  await changeSettings(caller, { logMonths }, source, { reason, seen })
  return null
}

/**
 * `saveRules` sets who may sign up, and what reveals and shares of personal data require. It throws `NotAllowed`,
 * `SignInAgain` and `Refused`.
 */
export async function saveRules(
  caller: Caller,
  { reason, seen, ...rules }: z.output<typeof RulesSchema>,
  source: CallSource,
): Promise<null> {
  requireFreshSignIn(caller)
  await changeSettings(caller, rules, source, { reason, seen })
  return null
}

/**
 * `saveBrand` sets the merchant's name and mark for customers, and the contact for their questions. It throws
 * `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function saveBrand(
  caller: Caller,
  { reason, seen, ...brand }: z.output<typeof BrandSchema>,
  source: CallSource,
): Promise<null> {
  requireFreshSignIn(caller)
  await changeSettings(caller, brand, source, { reason, seen })
  return null
}

/** Each form shows these settings. */
const namesIn = ({ shape }: z.ZodObject) =>
  SettingsSchema.keyof().options.filter((name) => Object.hasOwn(shape, name))
export const brandNames = namesIn(BrandSchema)
export const ruleNames = namesIn(RulesSchema)

/**
 * `changeSettings` changes some settings. This process has them as soon as it returns, and others moments later.
 * `reason` is in the caller's words, and `seen` is the `seenOf` of their form. It throws `NotAllowed`, and `Refused`
 * when somebody else changed the same setting or nothing was changed.
 */
export async function changeSettings(
  caller: Caller,
  change: SettingsChange,
  source: CallSource,
  { reason, seen }: { readonly reason?: string; readonly seen?: string | undefined } = {},
): Promise<Settings> {
  requirePermission(caller, 'manage-settings')
  const settings = await inTransaction(pool(), async (tx) => {
    const { rows: held } = await tx.query<{ value: unknown }>(HOLD, [settingsKey])
    const before = withDefaults(held[0]?.value)
    const wanted = seen === undefined ? change : changeOfSeen(before, change, seen)
    const { rows } = await tx.query<{ value: unknown }>(CHANGE, [settingsKey, JSON.stringify(wanted)])
    const after = withDefaults(rows[0]?.value)
    const names = changedNames(before, after)
    if (names.length === 0 && (seen === undefined || isAsSeen(change, seen)))
      throw new Refused('nothing-to-change')
    if (names.length === 0) return after
    const why = reason === undefined ? {} : { reason }
    await recordAudit(
      tx,
      {
        actor: caller,
        action: 'settings.change',
        outcome: 'done',
        ...why,
        change: { before: factsOf(before, names), after: factsOf(after, names) },
      },
      source,
    )
    for (const kind of new Set(names.flatMap((name) => noticeOf[name] ?? [])))
      await tellAdmins(tx, { kind, actor: caller, ...why })
    await tx.query('SELECT pg_notify($1, $2)', [settingsChannel, ''])
    return after
  })
  forgetRows()
  return settings
}

/** A change of these settings is announced to all admins, because the settings protect people. */
const noticeOf: { readonly [Name in keyof Settings]?: NoticeKind } = {
  retentionDays: 'retention-changed',
  logMonths: 'retention-changed',
  publicSignUp: 'rules-changed',
  revealTicketPattern: 'rules-changed',
  // Staff follow this link.
  ticketAddress: 'rules-changed',
  kycShareToken: 'rules-changed',
  // Customers enter personal data at this address.
  verificationUrl: 'rules-changed',
  merchantName: 'brand-changed',
  mark: 'brand-changed',
  legalName: 'brand-changed',
  // All customers write to this address.
  supportContact: 'brand-changed',
}

/** Concurrent changes run one after the other, so that the audit of each has the values that it found. */
const HOLD = `
  INSERT INTO setting AS known (key, value) VALUES ($1, '{}')
  ON CONFLICT (key) DO UPDATE SET value = known.value RETURNING value`

const CHANGE = `
  UPDATE setting SET value = jsonb_strip_nulls(value || $2::jsonb), updated_at = now() WHERE key = $1 RETURNING value`

const changedNames = (before: Settings, after: Settings) =>
  settingNames.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))

const settingNames = SettingsSchema.keyof().options

function factsOf(settings: Settings, names: readonly (keyof Settings)[]): AuditFacts {
  return Object.fromEntries(
    names.map((name) => {
      const value = settings[name]
      if (name === 'mark' && value !== null) return [name, `an image of ${String(value).length} characters`]
      return [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : value]
    }),
  )
}

/** Null resets a setting to its default. A setting that is not named stays unchanged. */
type SettingsChange = { readonly [Name in keyof Settings]?: Settings[Name] | null | undefined }

/**
 * A form keeps this text in a hidden field. It identifies the values that the form showed, and is short whatever their
 * size.
 */
export const seenOf = (settings: Settings, names: readonly (keyof Settings)[]): string =>
  names.map((name) => `${name}:${digestOf(settings[name])}`).join(' ')

/**
 * The result has the settings that a form really changes. Settings that it only repeats keep the changes of others. It
 * throws `Refused` when others have changed the same setting to another value.
 */
function changeOfSeen(
  before: Settings,
  change: SettingsChange,
  seen: string,
): Readonly<Record<string, unknown>> {
  const wanted = withDefaults(change)
  const shown = digestsOf(seen)
  const changed = SettingsSchema.keyof().options.filter((name) => {
    const digest = digestOf(wanted[name])
    return Object.hasOwn(change, name) && digest !== shown.get(name) && digest !== digestOf(before[name])
  })
  if (changed.some((name) => digestOf(before[name]) !== shown.get(name)))
    throw new Refused('changed-meanwhile')
  return Object.fromEntries(changed.map((name) => [name, change[name]]))
}

/** `isAsSeen` is true for a form that was sent as it had been shown. */
function isAsSeen(change: SettingsChange, seen: string): boolean {
  const wanted = withDefaults(change)
  const shown = digestsOf(seen)
  return SettingsSchema.keyof().options.every(
    (name) => !Object.hasOwn(change, name) || digestOf(wanted[name]) === shown.get(name),
  )
}

const digestsOf = (seen: string) =>
  new Map(seen.split(' ').map((one) => [one.split(':')[0], one.split(':')[1]]))

/** The digest does not depend on the order of names. */
const digestOf = (value: Settings[keyof Settings]) => {
  const text = JSON.stringify(
    typeof value === 'object' && value ? Object.entries(value).toSorted(byName) : value,
  )
  return crypto.createHash('sha256').update(text).digest('base64url').slice(0, 12)
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  one < other ? -1 : 1
