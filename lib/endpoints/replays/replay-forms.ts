import 'server-only'
import { z } from 'zod'
import { maySendTo } from '#lib/platform/addresses/public-address.ts'
import { env } from '#lib/platform/env.ts'
import { pastedText, ReasonSchema, uuidField, WebAddressSchema } from '#lib/platform/forms/fields.ts'
import { isLoopbackHost } from '#lib/platform/rules/network-addresses.ts'

/** An empty field of a form or an address counts as missing. */
const optional = <S extends z.ZodType>(schema: S) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema.optional())

const UuidSchema = uuidField('This is not a uuid.')
const tooLong = 'At most 200 characters.'
const WordSchema = pastedText(tooLong).pipe(z.string().max(200, tooLong))

/** A moment is ISO 8601; a text without a zone is UTC. */
const MomentSchema = z
  .string()
  .trim()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z?$/, {
    error: 'Write it as 2026-11-21T14:05.',
    abort: true,
  })
  .transform((text) => (text.endsWith('Z') ? text : `${text}Z`))
  // No delivery is older than 1970, and PostgreSQL knows no year 0.
  .refine((text) => Date.parse(text) >= 0, { error: 'There is no such time.', abort: true })
  .transform((text) => new Date(text).toISOString())

/** A stored delivery matches when all given parts match. */
export const ReplayFilterSchema = z.object({
  /** The delivery was received at `from` or later, and before `to`. */
  from: optional(MomentSchema),
  to: optional(MomentSchema),
  /** The text is one type, or several with commas between them. */
  type: optional(z.string().trim().max(500, 'At most 500 characters.')),
  /** The step is the `subType`. */
  step: optional(WordSchema),
  /** The endpoint is the service's uuid. */
  endpoint: optional(UuidSchema),
  /** The event concerns this user or company. */
  user: optional(WordSchema),
  transaction: optional(WordSchema),
  event: optional(UuidSchema),
  delivery: optional(UuidSchema),
  /** The delivery failed in this other replay. */
  failedIn: optional(UuidSchema),
  /** Only the first delivery of each event matches, however often and over however many endpoints it came. */
  first: optional(z.literal('yes')),
  /** Each event is sent once: by the first of its deliveries that match the other parts. */
  once: optional(z.literal('yes')),
})

export type ReplayFilter = z.output<typeof ReplayFilterSchema>

/** The entries are the parts of the filter that are given. */
export const filterEntries = (filter: ReplayFilter): [keyof ReplayFilter, string][] =>
  keys.flatMap((key) => (filter[key] === undefined ? [] : [[key, filter[key]]]))

const keys = ReplayFilterSchema.keyof().options

/** A secret is any text that a header can carry. */
const ReplaySecretSchema = z
  .string('Give the secret that the receiver expects.')
  .trim()
  .min(1, 'Give the secret that the receiver expects.')
  .max(500, 'At most 500 characters.')
  .regex(/^[\x21-\x7e]+$/, 'A secret has no spaces and no letters beyond ASCII.')

export const thisDashboard = 'This is this dashboard: choose “Into this dashboard” instead.'

/**
 * An address has HTTPS or is the sandbox's receiver. This dashboard is refused, because it would store every
 * delivery once more.
 */
const ReplayAddressSchema = WebAddressSchema.transform((text) => new URL(text))
  .refine((url) => !isThisDashboard(url), { error: thisDashboard, abort: true })
  .refine(maySendTo, 'The address must start with https://.')
  .transform((url) => url.href)

/** An address is this dashboard when it is the one that browsers use, or a name that this machine has for itself. */
function isThisDashboard(url: URL): boolean {
  const { publicUrl, port } = env()
  const here = [String(port), ...(isLoopbackHost(publicUrl.hostname) ? [portOf(publicUrl)] : [])]
  return url.origin === publicUrl.origin || (isLoopbackHost(url.hostname) && here.includes(portOf(url)))
}

const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80')

/** The pace is the maximum number of deliveries a second. */
export const PaceSchema = z.enum(['1', '5', '20', '50']).transform(Number)

export const StartReplaySchema = z.discriminatedUnion(
  'kind',
  [
    ReplayFilterSchema.extend({ kind: z.literal('fold'), reason: ReasonSchema }),
    ReplayFilterSchema.extend({
      kind: z.literal('post'),
      address: ReplayAddressSchema,
      secret: ReplaySecretSchema,
      pace: PaceSchema,
      reason: ReasonSchema,
    }),
  ],
  'Choose where to.',
)

export const ResumeReplaySchema = z.object({
  replayId: UuidSchema,
  /** The secret is required when the replay posts to an address. */
  secret: optional(ReplaySecretSchema),
  reason: ReasonSchema,
})

export const ExportResultsSchema = z.object({ replayId: UuidSchema, reason: ReasonSchema })

export const StopReplaySchema = z.object({ replayId: UuidSchema, reason: ReasonSchema })
