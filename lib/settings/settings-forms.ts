import 'server-only'
import { z } from 'zod'
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

/** What a form of the page Settings changes. Throws `NotAllowed`. */
export async function saveSettings(
  caller: Caller,
  form: z.output<typeof BrandSchema> | z.output<typeof RulesSchema>,
  source: CallSource,
): Promise<null> {
  await changeSettings(caller, form, source)
  return null
}
