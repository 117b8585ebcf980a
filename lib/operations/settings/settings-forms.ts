import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn } from '#lib/access/caller.ts'
import { eventTypes, otherEvents } from '#lib/deliveries/rules/event-types.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { SettingsSchema, settingSchemas } from '#lib/platform/settings/settings.ts'
import { changeSettings } from './change-settings.ts'

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
