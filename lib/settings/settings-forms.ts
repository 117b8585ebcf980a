import 'server-only'
import { z } from 'zod'
import { eventTypes } from '#lib/domain/delivery/event-types.ts'
import type { Caller } from '#lib/request/caller.ts'
import type { CallSource } from '#lib/request/request-context.ts'
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
})

/** Days for each type; an empty field keeps its events for good. */
export const RetentionSchema = z.object(
  Object.fromEntries(
    eventTypes.map((type) => [
      type,
      z.preprocess(
        (text) => (text === '' ? undefined : Number(text)),
        settingSchemas.retentionDays.valueType.optional(),
      ),
    ]),
  ),
)

/** Throws `NotAllowed`. */
export async function saveRetention(
  caller: Caller,
  form: z.output<typeof RetentionSchema>,
  source: CallSource,
): Promise<null> {
  const given = Object.entries(form).flatMap(([type, days]) =>
    days === undefined ? [] : [[type, days] as const],
  )
  await changeSettings(caller, { retentionDays: Object.fromEntries(given) }, source)
  return null
}

/** What a form of the page Settings changes. Throws `NotAllowed`. */
export async function saveSettings(
  caller: Caller,
  form: z.output<typeof BrandSchema> | z.output<typeof RulesSchema>,
  source: CallSource,
): Promise<null> {
  await changeSettings(caller, form, source)
  return null
}
