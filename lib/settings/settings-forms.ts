import 'server-only'
import { z } from 'zod'
import { eventTypes, otherEvents } from '#lib/domain/delivery/event-types.ts'
import { ReasonSchema } from '#lib/forms/reason.ts'
import type { Caller } from '#lib/request/caller.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import { requireFreshSignIn } from '#lib/request/require-fresh-sign-in.ts'
import { changeSettings } from './change-settings.ts'
import { settingSchemas } from './settings.ts'

/** An empty field gives the setting its default. */
const orDefault = <S extends z.ZodType>(schema: S) =>
  z.preprocess((text) => (text === '' ? null : text), z.union([z.null(), schema]))

const switchField = z.enum(['true', 'false'], 'Choose one.').transform((text) => text === 'true')

export const BrandSchema = z.object({
  merchantName: orDefault(settingSchemas.merchantName),
  mark: orDefault(settingSchemas.mark),
  supportContact: orDefault(settingSchemas.supportContact),
})

export const RulesSchema = z.object({
  publicSignUp: switchField,
  revealTicketPattern: orDefault(settingSchemas.revealTicketPattern),
  kycShareToken: switchField,
  verificationUrl: orDefault(settingSchemas.verificationUrl),
  reason: ReasonSchema,
})

const DaysFieldSchema = z.preprocess(
  (text) => (text === '' ? undefined : Number(text)),
  settingSchemas.retentionDays.valueType.optional(),
)

/** Days for each type, and for whatever is of none; an empty field keeps its events for good. */
export const RetentionSchema = z.object({
  ...Object.fromEntries([...eventTypes, otherEvents].map((type) => [type, DaysFieldSchema])),
  reason: ReasonSchema,
})

/** Ends personal data, which nobody brings back. Throws `NotAllowed` and `SignInAgain`. */
export async function saveRetention(
  caller: Caller,
  { reason, ...days }: z.output<typeof RetentionSchema>,
  source: CallSource,
): Promise<null> {
  requireFreshSignIn(caller)
  const named = Object.entries(days).filter(([, most]) => most !== undefined)
  const retentionDays = settingSchemas.retentionDays.parse(Object.fromEntries(named))
  await changeSettings(caller, { retentionDays }, source, reason)
  return null
}

/** Says who gets in, and what reveals and shares of personal data ask for. Throws `NotAllowed` and `SignInAgain`. */
export async function saveRules(
  caller: Caller,
  { reason, ...rules }: z.output<typeof RulesSchema>,
  source: CallSource,
): Promise<null> {
  requireFreshSignIn(caller)
  await changeSettings(caller, rules, source, reason)
  return null
}

/** Says how customers know the merchant. Throws `NotAllowed`. */
export async function saveBrand(
  caller: Caller,
  form: z.output<typeof BrandSchema>,
  source: CallSource,
): Promise<null> {
  await changeSettings(caller, form, source)
  return null
}
