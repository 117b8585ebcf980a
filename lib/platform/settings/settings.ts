import 'server-only'
import type pg from 'pg'
import { RE2JS, RE2JSException } from 're2js'
import { z } from 'zod'
import type { Listener } from '../db/listen.ts'
import { pool } from '../db/pool.ts'
import { jsonParameter } from '../db/statements.ts'
import { env } from '../env.ts'
import { isTicketAddress } from '../rules/ticket.ts'

/** The value is that of a key in the table `setting`; undefined for no row. */
export async function readSettingRow(database: Pick<pg.Pool, 'query'>, key: string): Promise<unknown> {
  const { rows } = await database.query<{ value: unknown }>('SELECT value FROM setting WHERE key = $1', [key])
  return rows[0]?.value
}

/** `keepSettingRow` overwrites the value of a key, as JSON. */
export async function keepSettingRow(
  database: Pick<pg.Pool, 'query'>,
  key: string,
  value: unknown,
): Promise<void> {
  await database.query(KEEP, [key, jsonParameter(value)])
}

const KEEP = `
  INSERT INTO setting (key, value) VALUES ($1, $2)
  ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()`

/** A kept row of the table `setting` is one that most pages need. */
interface KeptRow<T> {
  /** `read` returns the value in this process's memory. Another server's change arrives with its notification. */
  readonly read: () => Promise<T>
  /** `readStored` returns the stored value, for pages where somebody may just have changed it at another server. */
  readonly readStored: () => Promise<T>
}

/** @param parse reads the stored value; undefined for no row */
export function keptRow<T>(key: string, parse: (stored: unknown) => T): KeptRow<T> {
  const readStored = async () => parse(await readSettingRow(pool(), key))
  let kept: { readonly since: object; readonly row: Promise<T> } | undefined
  return {
    readStored,
    read() {
      const since = globalThis.rampartLastSettingChange
      if (since === undefined) return readStored()
      if (kept?.since === since) return kept.row
      const row = readStored().catch((error: unknown) => {
        kept = undefined
        throw error
      })
      kept = { since, row }
      return row
    },
  }
}

/** `keepRows` makes this process, with Next's bundle, keep such rows in memory until one of them changes. */
export function keepRows(source: Listener): void {
  globalThis.rampartLastSettingChange = {}
  source.subscribe(settingsChannel, forgetRows)
  source.onListening(forgetRows)
}

/** Other processes learn of a change by the channel `settingsChannel`. The process that made it need not wait for that. */
export function forgetRows(): void {
  if (globalThis.rampartLastSettingChange) globalThis.rampartLastSettingChange = {}
}

/** The channel is notified when such a row has changed. */
export const settingsChannel = 'settings'

declare global {
  /** The object marks the last change that this process knows; undefined when it keeps no rows. */
  var rampartLastSettingChange: object | undefined
}

/**
 * An image as a data URL has at most this many characters. With the rest of its form it stays below the 64 KB of an action.
 */
const mostOfMark = 40_000

/** A rule of retention has this many days: one day to a hundred years. */
const DaysSchema = z.int('Whole days.').min(1, 'At least one day.').max(36_500, 'At most 36,500 days.')

/** Whole months are counted beside the current one: one month to a hundred years. */
const MonthsSchema = z.int('Whole months.').min(1, 'At least one month.').max(1_200, 'At most 1,200 months.')

const printable = /^\P{Cc}*$/u

/** Each setting has a schema. */
export const settingSchemas = {
  /** Pages for customers show the merchant by this name. */
  merchantName: z
    .string()
    .trim()
    .min(1, 'Give the name that your customers know.')
    .max(60, 'At most 60 characters.')
    .regex(printable, 'Only letters and signs that can be printed.'),
  /**
   * The mark is an image as a data URL. It is shown only as an image, so that nothing in it can run. It is null for the
   * name’s first letter.
   */
  mark: z
    .string()
    .max(mostOfMark, 'At most 28 KB.')
    .regex(/^data:image\/(png|svg\+xml|webp);base64,[A-Za-z0-9+/]+=*$/, 'An image as PNG, SVG or WebP.')
    .nullable(),
  /** The legal name and address of the merchant are printed on receipts. */
  legalName: z
    .string()
    .trim()
    .min(3, 'At least three characters.')
    .max(300, 'At most 300 characters.')
    .regex(printable, 'Only letters and signs that can be printed.')
    .nullable(),
  /** Customers write to this contact: an address, a telephone number or a page. */
  supportContact: z
    .string()
    .trim()
    .min(3, 'At least three characters.')
    .max(200, 'At most 200 characters.')
    .regex(printable, 'Only letters and signs that can be printed.')
    .nullable(),
  /**
   * Customers verify themselves at this address, because no call of the contract starts a verification. If it is null, they
   * ask support.
   */
  verificationUrl: z
    .string()
    .trim()
    .max(500, 'At most 500 characters.')
    .refine((text) => /^https:\/\//i.test(text) && URL.canParse(text), 'A web address with https://.')
    .nullable(),
  /** Anybody may create an account if this is true. */
  publicSignUp: z.boolean(),
  /** The reason for a reveal must match this regular expression, such as a ticket’s number; null for none. */
  revealTicketPattern: z
    .string()
    .trim()
    .max(200, 'At most 200 characters.')
    .refine(
      (text) => readPattern(text) !== null,
      'This is not a regular expression, or one that looks around or back. Example: ^HELP-\\d+$',
    )
    .nullable(),
  /** Tickets that notes link to have this address, with `{ticket}` in place of the name. Null allows any https address. */
  ticketAddress: z
    .string()
    .trim()
    .max(500, 'At most 500 characters.')
    .refine(
      isTicketAddress,
      'A web address with https:// and {ticket} in it once. Example: https://help.example/tickets/{ticket}',
    )
    .nullable(),
  /** Events of a type, or `otherEvents`, are kept for so many days. Others are kept for ever. */
  retentionDays: z.record(z.string().max(60), DaysSchema),
  /**
   * Bodies stay in the log for so many months, and events of finished subjects for so many. Without a number they are kept
   * for ever.
   */
  logMonths: z
    .object({ bodies: MonthsSchema.optional(), events: MonthsSchema.optional() })
    .refine(({ bodies = 0, events }) => events === undefined || events >= bodies, {
      path: ['events'],
      message: 'Events are kept at least as long as their bodies.',
    }),
  /** Staff can ask the service for a KYC share token of a user (§5.1) if this is true. */
  kycShareToken: z.boolean(),
}

export const SettingsSchema = z.object(settingSchemas)

export type Settings = z.output<typeof SettingsSchema>

/** `withDefaults` makes the effective settings from the stored ones. */
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
      // A stored pattern that cannot be compiled any more stays in force. Reveals are refused until an admin sets another.
      revealTicketPattern: z.string().nullable().catch(null),
      ticketAddress: settingSchemas.ticketAddress.catch(null),
      retentionDays: settingSchemas.retentionDays.catch({}),
      logMonths: settingSchemas.logMonths.catch({}),
      kycShareToken: settingSchemas.kycShareToken.catch(false),
    })
    .parse(stored ?? {})
}

/**
 * `readPattern` compiles a regular expression that matches in time linear in the text. JavaScript's own can take for ever,
 * and the process answers nothing meanwhile. The result is null for an invalid one, or one that looks around or back.
 */
export function readPattern(text: string): RE2JS | null {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(text))
  } catch (error) {
    if (error instanceof RE2JSException) return null
    throw error
  }
}

/** The row of this key has the settings. */
export const settingsKey = 'settings'

const row = keptRow(settingsKey, withDefaults)

export const readSettings = row.read
export const readStoredSettings = row.readStored
