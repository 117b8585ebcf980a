import 'server-only'
import { RE2JS, RE2JSException } from 're2js'
import { z } from 'zod'
import { env } from '../env.ts'
import { isTicketAddress } from '../rules/ticket.ts'
import { keptRow } from './setting-rows.ts'

/** Characters of an image as a data URL: with the rest of its form it stays below the 64 KB of an action. */
const mostOfMark = 40_000

/** Days that a rule of retention may name: a day to a hundred years. */
const DaysSchema = z.int('Whole days.').min(1, 'At least one day.').max(36_500, 'At most 36,500 days.')

/** Whole months, beside the one under way: a month to a hundred years. */
const MonthsSchema = z.int('Whole months.').min(1, 'At least one month.').max(1_200, 'At most 1,200 months.')

const printable = /^\P{Cc}*$/u

/** What each setting may be. */
export const settingSchemas = {
  /** How the merchant is called on pages for their customers. */
  merchantName: z
    .string()
    .trim()
    .min(1, 'Give the name that your customers know.')
    .max(60, 'At most 60 characters.')
    .regex(printable, 'Only letters and signs that can be printed.'),
  /** An image as a data URL, shown as an image alone, so that nothing in it can run; null for the name’s first letter. */
  mark: z
    .string()
    .max(mostOfMark, 'At most 28 KB.')
    .regex(/^data:image\/(png|svg\+xml|webp);base64,[A-Za-z0-9+/]+=*$/, 'An image as PNG, SVG or WebP.')
    .nullable(),
  /** Who the merchant is by law, and where: printed on receipts. */
  legalName: z
    .string()
    .trim()
    .min(3, 'At least three characters.')
    .max(300, 'At most 300 characters.')
    .regex(printable, 'Only letters and signs that can be printed.')
    .nullable(),
  /** Whom customers write to: an address, a telephone number or a page. */
  supportContact: z
    .string()
    .trim()
    .min(3, 'At least three characters.')
    .max(200, 'At most 200 characters.')
    .regex(printable, 'Only letters and signs that can be printed.')
    .nullable(),
  /** Where customers verify themselves: no call of the contract starts it. Null: they ask support. */
  verificationUrl: z
    .string()
    .trim()
    .max(500, 'At most 500 characters.')
    .refine((text) => /^https:\/\//i.test(text) && URL.canParse(text), 'A web address with https://.')
    .nullable(),
  /** Whether anybody may create an account by themselves. */
  publicSignUp: z.boolean(),
  /** A regular expression that the reason for a reveal must match, such as a ticket’s number; null for none. */
  revealTicketPattern: z
    .string()
    .trim()
    .max(200, 'At most 200 characters.')
    .refine(
      (text) => readPattern(text) !== null,
      'This is not a regular expression, or one that looks around or back. Example: ^HELP-\\d+$',
    )
    .nullable(),
  /** Where a ticket is that a note links to, with `{ticket}` for what names it; null: at any address with https. */
  ticketAddress: z
    .string()
    .trim()
    .max(500, 'At most 500 characters.')
    .refine(
      isTicketAddress,
      'A web address with https:// and {ticket} in it once. Example: https://help.example/tickets/{ticket}',
    )
    .nullable(),
  /** How many days events of a type, or `otherEvents`, are kept; what is not named is kept for good. */
  retentionDays: z.record(z.string().max(60), DaysSchema),
  /** How many months bodies stay in the log, and events of what is at an end at all; what is not named is kept for good. */
  logMonths: z
    .object({ bodies: MonthsSchema.optional(), events: MonthsSchema.optional() })
    .refine(({ bodies = 0, events }) => events === undefined || events >= bodies, {
      path: ['events'],
      message: 'Events are kept at least as long as their bodies.',
    }),
  /** Whether staff can ask the service for a KYC share token of a user (§5.1). */
  kycShareToken: z.boolean(),
}

export const SettingsSchema = z.object(settingSchemas)

export type Settings = z.output<typeof SettingsSchema>

/** Settings as they are in force, from what is stored. */
export function withDefaults(stored: unknown): Settings {
  const { sandboxUrl, publicUrl } = env()
  const { merchantName, mark, supportContact, verificationUrl, publicSignUp } = settingSchemas
  return z
    .object({
      merchantName: merchantName.catch(sandboxUrl ? 'Demo Merchant' : publicUrl.hostname),
      mark: mark.catch(null),
      legalName: settingSchemas.legalName.catch(null),
      supportContact: supportContact.catch(null),
      verificationUrl: verificationUrl.catch(null),
      publicSignUp: publicSignUp.catch(sandboxUrl !== null),
      // One that nothing reads any more stays in force: whoever asks is refused until an admin gives another.
      revealTicketPattern: z.string().nullable().catch(null),
      ticketAddress: settingSchemas.ticketAddress.catch(null),
      retentionDays: settingSchemas.retentionDays.catch({}),
      logMonths: settingSchemas.logMonths.catch({}),
      kycShareToken: settingSchemas.kycShareToken.catch(false),
    })
    .parse(stored ?? {})
}

/**
 * A regular expression that is matched in time linear in the text: one of JavaScript's can take for ever, and nothing else is
 * answered meanwhile. Null for what is none, or looks around or back.
 */
export function readPattern(text: string): RE2JS | null {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(text))
  } catch (error) {
    if (error instanceof RE2JSException) return null
    throw error
  }
}

/** The key of the row that holds them. */
export const settingsKey = 'settings'

const row = keptRow(settingsKey, withDefaults)

/** The merchant's settings. */
export const readSettings = row.read
export const readStoredSettings = row.readStored
