import 'server-only'
import { z } from 'zod'
import { fieldCode } from '#lib/words/labels/refusals.ts'
import { isEmailAddress } from '../rules/mail-address.ts'
import { cleanText, isVisibleName } from '../rules/pasted-text.ts'
import { reasonLength } from '../rules/reason.ts'
import { findUuid } from '../rules/whole-ids.ts'

/** The field is an id, an address or a number in the form of a lookup. */
export const PastedTextSchema = z.string().transform((text): string => cleanText(text))

export const EmailAddressSchema = z.string(fieldCode('enter-email')).pipe(
  PastedTextSchema.refine((text) => text !== '', { error: fieldCode('enter-email'), abort: true })
    .refine((text) => text.length <= 254, { error: fieldCode('email-too-long'), abort: true })
    .refine(isEmailAddress, fieldCode('not-an-email')),
)

/** A person's name is on one line. */
export const PersonNameSchema = z
  .string(fieldCode('enter-name'))
  .trim()
  .min(1, fieldCode('enter-name'))
  .max(100, fieldCode('name-too-long'))
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, fieldCode('not-printable'))
  .refine(isVisibleName, fieldCode('not-printable'))

/** The message is for a reason that is missing or too short. */
export const reasonMissing = `Enter a reason (${reasonLength.least}+ characters).` as const

/** Every confirmed action needs a reason, for the audit. */
export const ReasonSchema = z
  .string(reasonMissing)
  .trim()
  .min(reasonLength.least, reasonMissing)
  .max(reasonLength.most, `At most ${reasonLength.most} characters.`)

/** The field is an id that was typed or pasted. The result is in lower case, as ids are stored. */
export const uuidField = (message: string) =>
  z
    .string(message)
    .transform((text) => findUuid(cleanText(text)) ?? text)
    .pipe(z.guid(message).toLowerCase())

/**
 * The address is an absolute url of at most 2,000 characters, without a user or a password. The use case checks its scheme
 * and host.
 */
export const WebAddressSchema = z
  .string('Give the address to post to.')
  .trim()
  .max(2_000, 'At most 2,000 characters.')
  .refine((text) => URL.canParse(text), {
    error: 'This is not a web address. Example: https://example.com/webhooks',
    abort: true,
  })
  .refine((text) => URL.parse(text)?.username === '' && URL.parse(text)?.password === '', {
    error: 'The address must not contain a user or a password.',
    abort: true,
  })
