import 'server-only'
import { z } from 'zod'
import { isSandboxReceiver } from '#lib/platform/addresses/receiver-url.ts'
import { env } from '#lib/platform/env.ts'
import { PastedTextSchema, ReasonSchema, uuidField, WebAddressSchema } from '#lib/platform/forms/fields.ts'
import { isLoopbackHost } from '#lib/platform/rules/network-addresses.ts'

/** A field of a form or of an address that was left empty is not there. */
const optional = <S extends z.ZodType>(schema: S) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema.optional())

const UuidSchema = uuidField('This is not a uuid.')
const WordSchema = PastedTextSchema.pipe(z.string().max(200, 'At most 200 characters.'))

/** A moment, as ISO 8601: what is typed without a zone is UTC. */
const MomentSchema = z
  .string()
  .trim()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z?$/, {
    error: 'Write it as 2026-11-21T14:05.',
    abort: true,
  })
  .transform((text) => (text.endsWith('Z') ? text : `${text}Z`))
  // Nothing is older than 1970, and PostgreSQL knows no year 0.
  .refine((text) => Date.parse(text) >= 0, { error: 'There is no such time.', abort: true })
  .transform((text) => new Date(text).toISOString())

/** Which of the stored deliveries. All that is given must hold. */
export const ReplayFilterSchema = z.object({
  /** Received from here on, and before there. */
  from: optional(MomentSchema),
  to: optional(MomentSchema),
  /** One type, or several with commas between them. */
  type: optional(z.string().trim().max(500, 'At most 500 characters.')),
  /** The subType. */
  step: optional(WordSchema),
  /** The service's uuid of the endpoint. */
  endpoint: optional(UuidSchema),
  /** The user or company that the event concerns. */
  user: optional(WordSchema),
  transaction: optional(WordSchema),
  event: optional(UuidSchema),
  delivery: optional(UuidSchema),
  /** Those that failed in another replay. */
  failedIn: optional(UuidSchema),
  /** Of each event its first delivery alone, however often and over how many endpoints it came. */
  once: optional(z.literal('yes')),
})

export type ReplayFilter = z.output<typeof ReplayFilterSchema>

/** What the filter says, without what it leaves open. */
export const filterEntries = (filter: ReplayFilter): [keyof ReplayFilter, string][] =>
  keys.flatMap((key) => (filter[key] === undefined ? [] : [[key, filter[key]]]))

const keys = ReplayFilterSchema.keyof().options

/** Anything that a header can carry. */
const ReplaySecretSchema = z
  .string('Give the secret that the receiver expects.')
  .trim()
  .min(1, 'Give the secret that the receiver expects.')
  .max(500, 'At most 500 characters.')
  .regex(/^[\x21-\x7e]+$/, 'A secret has no spaces and no letters beyond ASCII.')

export const thisDashboard = 'This is this dashboard: choose “Into this dashboard” instead.'

/** HTTPS, or the sandbox's receiver; not this dashboard, which would store all of it once more. */
const ReplayAddressSchema = WebAddressSchema.transform((text) => new URL(text))
  .refine((url) => !isThisDashboard(url), { error: thisDashboard, abort: true })
  .refine(
    (url) => url.protocol === 'https:' || isSandboxReceiver(url),
    'The address must start with https://.',
  )
  .transform((url) => url.href)

/** An address is ours if it is the one that browsers use, or any name that this machine has for itself. */
function isThisDashboard(url: URL): boolean {
  const { publicUrl, port } = env()
  const here = [String(port), ...(isLoopbackHost(publicUrl.hostname) ? [portOf(publicUrl)] : [])]
  return url.origin === publicUrl.origin || (isLoopbackHost(url.hostname) && here.includes(portOf(url)))
}

const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80')

/** Deliveries a second at most. */
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
  /** Wanted where it posts. */
  secret: optional(ReplaySecretSchema),
  reason: ReasonSchema,
})

export const ExportResultsSchema = z.object({ replayId: UuidSchema, reason: ReasonSchema })

export const StopReplaySchema = z.object({ replayId: UuidSchema, reason: ReasonSchema })
