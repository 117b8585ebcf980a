import { z } from 'zod'

/** A text, of a query or a setting, says a whole number in digits. `Number` would read a blank as 0. */
export const wholeInText = (from: number, to: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number in digits')
    .transform(Number)
    .pipe(z.number().min(from).max(to))
    .openapi({ type: 'integer', minimum: from, maximum: to })

const whole = (from: number, to: number) => z.number().min(from).max(to).or(wholeInText(from, to))

const onOffSchema = z
  .enum(['on', 'off'])
  .default('on')
  .transform((text) => text === 'on')

/**
 * The list looks like `app,app:8080,[::1]:80`: names and addresses as URL spells them. An entry without a port matches any
 * port.
 */
const hostsSchema = z.string().transform((text, context) =>
  text.split(',').map((host) => {
    const url = /^[^\s/?#@]+$/.test(host) ? URL.parse(`http://${host}/`) : null
    if (!url) context.addIssue({ code: 'custom', message: 'must be hosts with commas between' })
    return { hostname: url?.hostname ?? '', port: /:(\d+)$/.exec(host)?.[1] }
  }),
)

/** The contract leaves these options open, so this implementation decides (§7, §8 "not shown"). */
export const OptionsSchema = z.object({
  /** ASSUMED: a one-time password is valid for 10 minutes. */
  codeMinutes: whole(1, 1_440).default(10),
  /** ASSUMED: at most 10 codes per user and window, the next trigger gets 429 with Retry-After. */
  codesPerWindow: whole(1, 10_000).default(10),
  /** ASSUMED: that window is 10 minutes long and slides. */
  codeWindowMinutes: whole(1, 1_440).default(10),
  /** ASSUMED: after 5 wrong guesses a code is dead. */
  codeGuesses: whole(1, 100).default(5),
  /** ASSUMED: a session lives for 60 minutes. */
  sessionMinutes: whole(1, 10_080).default(60),
  /** ASSUMED: a delivery that is not answered within 10 s has failed. */
  deliveryTimeoutMs: whole(1, 60_000).default(10_000),
  /** ASSUMED: 20 deliveries in a row that failed all seven attempts switch an endpoint to auto_disabled; 0 never. */
  autoDisableAfter: whole(0, 100_000).default(20),
  /** ASSUMED: a sign-in message may be valid for any time (0); the contract only recommends 2 to 4 hours. */
  longestMessageMinutes: whole(0, 525_600).default(0),
  /** ASSUMED: a new code makes the older ones dead. */
  olderCodes: z.enum(['dead', 'valid']).default('dead'),
  /** ASSUMED: a 429 says in Retry-After how many seconds to wait. */
  retryAfter: onOffSchema,
  /** ASSUMED: a webhook url may be plain HTTP on a loopback host, so that a receiver beside it can be tried (§8: HTTPS). */
  loopbackHttp: onOffSchema,
  /** ASSUMED: a webhook url may be plain HTTP on these hosts too, such as those of a compose file; any port without one. */
  httpHosts: hostsSchema.default([]),
  /** ASSUMED: GET /merchant/configuration exists (§4.3 names GET /merchant/* only). */
  merchantConfiguration: onOffSchema,
  /** ASSUMED: any 2xx answer counts as a successful delivery, nothing else does (§6.7). */
  successStatuses: z
    .literal('2xx')
    .or(z.string().regex(/^[1-5]\d\d(,[1-5]\d\d)*$/))
    .default('2xx'),
  /** ASSUMED: a request that has not arrived whole after 30 s is answered 408. */
  requestTimeoutMs: whole(100, 600_000).default(30_000),
})

export type Options = z.output<typeof OptionsSchema>

/** A merchant's key follows this one rule. The dashboard has the same rule for the key that `npm start` passes on. */
export const ApiKeySchema = z
  .string()
  .regex(/^[!-~]{16,}$/, 'must be at least 16 printable ASCII characters without blanks')
  .openapi({ example: 'sandbox-3f9c2b7a' })
