import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn } from '#lib/access/caller.ts'
import { eventTypes, otherEvents } from '#lib/deliveries/rules/event-types.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { SettingsSchema, settingSchemas } from '#lib/platform/settings/settings.ts'
import { changeSettings } from './change-settings.ts'

/** An empty field gives the setting its default. */
const orDefault = <S extends z.ZodType>(schema: S) =>
  z.preprocess((text) => (text === '' ? null : text), z.union([z.null(), schema]))

/** What the form had shown, so that nobody overwrites what they have not seen. */
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

/** Days for each type, and for whatever is of none; an empty field keeps its events for good. */
export const RetentionSchema = z.object({
  ...Object.fromEntries([...eventTypes, otherEvents].map((type) => [type, DaysFieldSchema])),
  reason: ReasonSchema,
  seen: seenSchema,
})

/** Ends personal data, which nobody brings back. Throws `NotAllowed`, `SignInAgain` and `Refused`. */
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

/** Months for bodies and for events; an empty field keeps them for good. */
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

/** Removes months of the log and what is at an end, which nobody brings back. Throws `NotAllowed`, `SignInAgain` and `Refused`. */
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

/** Says who gets in, and what reveals and shares of personal data ask for. Throws `NotAllowed`, `SignInAgain` and `Refused`. */
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
 * Says how customers know the merchant, and to whom all of them write. Throws `NotAllowed`, `SignInAgain` and `Refused`.
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

/** The settings that each form shows. */
const namesIn = ({ shape }: z.ZodObject) =>
  SettingsSchema.keyof().options.filter((name) => Object.hasOwn(shape, name))
export const brandNames = namesIn(BrandSchema)
export const ruleNames = namesIn(RulesSchema)
