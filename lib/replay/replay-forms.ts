import 'server-only'
import { z } from 'zod'
import { env } from '#lib/env.ts'

/** A field of a form or of an address that was left empty is not there. */
const optional = <S extends z.ZodType>(schema: S) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema.optional())

const Uuid = z.guid('This is not a uuid.').toLowerCase()
const Word = z.string().trim().max(200, 'At most 200 characters.')

/** A moment, as ISO 8601: what is typed without a zone is UTC. */
const Moment = z
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
export const ReplayFilter = z.object({
  /** Received from here on, and before there. */
  from: optional(Moment),
  to: optional(Moment),
  type: optional(Word),
  /** The subType. */
  step: optional(Word),
  /** The service's uuid of the endpoint. */
  endpoint: optional(Uuid),
  /** The user or company that the event concerns. */
  user: optional(Word),
  transaction: optional(Word),
  event: optional(Uuid),
  delivery: optional(Uuid),
  /** Those that failed in another replay. */
  failedIn: optional(Uuid),
})

export type ReplayFilter = z.output<typeof ReplayFilter>

/** What the filter says, without what it leaves open. */
export const filterEntries = (filter: ReplayFilter): [keyof ReplayFilter, string][] =>
  keys.flatMap((key) => (filter[key] === undefined ? [] : [[key, filter[key]]]))

const keys = ReplayFilter.keyof().options

const Reason = z
  .string('Say why, in a few words.')
  .trim()
  .min(3, 'Say why, in a few words.')
  .max(500, 'At most 500 characters.')

/** Anything that a header can carry. */
const Secret = z
  .string('Give the secret that the receiver expects.')
  .trim()
  .min(1, 'Give the secret that the receiver expects.')
  .max(500, 'At most 500 characters.')
  .regex(/^[\x21-\x7e]+$/, 'A secret has no spaces and no letters beyond ASCII.')

export const thisDashboard = 'This is this dashboard: choose “Into this dashboard” instead.'

/** HTTPS, except on this machine with the sandbox; not this dashboard, which would store all of it once more. */
const Address = z
  .string('Give the address to post to.')
  .trim()
  .max(2_000, 'At most 2,000 characters.')
  .refine((text) => URL.canParse(text), {
    error: 'This is not a web address. Example: https://example.com/webhooks',
    abort: true,
  })
  .transform((text) => new URL(text))
  .refine((url) => url.protocol === 'https:' || isLoopbackTrial(url), 'The address must start with https://.')
  .refine((url) => url.username === '' && url.password === '', 'The address must not contain a password.')
  .refine((url) => url.origin !== env().publicUrl.origin, thisDashboard)
  .transform((url) => url.href)

/** With the sandbox, a receiver on this machine may be tried out without a certificate. */
export const isLoopbackTrial = (url: URL): boolean =>
  env().sandboxUrl !== null && url.protocol === 'http:' && loopback.has(url.hostname)

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Deliveries a second at most. */
export const Pace = z.enum(['1', '5', '20', '50']).transform(Number)

export const StartReplayForm = z.discriminatedUnion(
  'kind',
  [
    ReplayFilter.extend({ kind: z.literal('fold'), reason: Reason }),
    ReplayFilter.extend({
      kind: z.literal('post'),
      address: Address,
      secret: Secret,
      pace: Pace,
      reason: Reason,
    }),
  ],
  'Choose where to.',
)

export const ResumeReplayForm = z.object({
  replayId: Uuid,
  /** Wanted where it posts. */
  secret: optional(Secret),
  reason: Reason,
})

export const StopReplayForm = z.object({ replayId: Uuid, reason: Reason })
