import 'server-only'
import { z } from 'zod'
import { fieldCode } from '#lib/words/labels/refusals.ts'
import { textParameter } from '../db/statements.ts'
import { isEmailAddress, onlyEmailAddress } from '../rules/mail-address.ts'
import { cleanText, isVisibleName } from '../rules/pasted-text.ts'
import { reasonLength } from '../rules/reason.ts'
import { findUuid } from '../rules/whole-ids.ts'

/** The fields of a form or a query, of which each text, and each of a list, is as `textParameter` gives it. */
export const storableFields = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(orText) : orText(value),
    ]),
  )

const orText = (value: unknown): unknown => (typeof value === 'string' ? textParameter(value) : value)

/** The field is an id, an address or a number in the form of a lookup. `tooLong` is for a text that nobody pastes for one. */
export const pastedText = (tooLong: string) =>
  z
    .string()
    .max(2_000, tooLong)
    .transform((text): string => cleanText(text))

/** The field is an e-mail address, also as a link or after a name. */
export const EmailAddressSchema = z.string(fieldCode('enter-email')).pipe(
  pastedText(fieldCode('email-too-long'))
    .transform((text) => onlyEmailAddress(text) ?? text)
    .refine((text) => text !== '', { error: fieldCode('enter-email'), abort: true })
    .refine((text) => text.length <= 254, { error: fieldCode('email-too-long'), abort: true })
    .refine(isEmailAddress, fieldCode('not-an-email')),
)

/** Copying adds these signs too. The two that join letters or keep them apart (U+200C, U+200D) belong to names. */
const besideNames = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g

/** A person's name is on one line, without marks of direction and other signs that nobody sees. */
export const PersonNameSchema = z
  .string(fieldCode('enter-name'))
  .overwrite((text) => text.replace(besideNames, ''))
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
  .regex(/^[^\0]*$/, 'Only letters and signs that can be printed.')

/** The field is an id that was typed or pasted. The result is in lower case, as ids are stored. */
export const uuidField = (message: string) =>
  z
    .string(message)
    .transform((text) => findUuid(cleanText(text)) ?? text)
    .pipe(z.guid(message).toLowerCase())

/** Mails and chats put these signs into an address that is copied: soft hyphens, zero-width signs, marks of direction. */
const unseen = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/**
 * The address is an absolute url of at most 2,000 characters, without a user or a password. Signs that nobody sees are left
 * out. The use case checks its scheme and host.
 */
export const WebAddressSchema = z
  .string('Give the address to post to.')
  .overwrite((text) => text.replace(unseen, ''))
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
