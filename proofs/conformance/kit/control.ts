import { z } from 'zod'
import type { Envelope } from './shapes.ts'

/** The sandbox's control interface, as far as the checks use it. */
export type Control = ReturnType<typeof createControl>

/** @param url with its path, such as http://localhost:4010/_sandbox */
export function createControl(url: string) {
  async function ask<Body>(shape: z.ZodType<Body>, method: string, path: string, body?: unknown) {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
      signal: AbortSignal.timeout(60_000),
    })
    if (!response.ok) throw new Error(`${method} ${path} of the control interface: ${response.status}`)
    return shape.parse(await response.json())
  }
  return {
    /** Mails to one address, oldest first. */
    mails: (email: string) => ask(MailsSchema, 'GET', `/mailbox?email=${encodeURIComponent(email)}`),
    /** The service's time. */
    now: async () => (await ask(ClockSchema, 'GET', '/clock')).now,
    /** Moves the clock; whatever comes due on the way has been done when this answers. */
    advance: (seconds: number) => ask(ClockSchema, 'POST', '/clock/advance', { seconds }),
    /**
     * Sends an event to the endpoints that subscribe to it; text is sent as it is. Returns how many endpoints these
     * are.
     */
    send: async (envelope: Envelope | string) =>
      (await ask(SentSchema, 'POST', '/events', envelope)).deliveries,
    /** Deliveries to one endpoint, newest first. */
    deliveries: (endpoint: string) =>
      ask(DeliveriesSchema, 'GET', `/deliveries?endpoint=${endpoint}&limit=10000`),
    /** What can be played. */
    scenarios: () => ask(ScenariosSchema, 'GET', '/scenarios'),
    /** Plays a scenario as fast as its order allows. */
    play: (name: string, user_uuid: string) =>
      ask(PlaySchema, 'POST', '/scenarios', { name, user_uuid, speed: 'instant' }),
  }
}

export type ControlDelivery = z.output<typeof DeliveriesSchema>[number]

const momentSchema = z.iso.datetime({ offset: true }).transform((text) => new Date(text))

const MailsSchema = z.array(z.looseObject({ email: z.string(), code: z.string() }))

const ClockSchema = z.looseObject({ now: momentSchema })

const SentSchema = z.looseObject({ deliveries: z.number() })

const DeliveriesSchema = z.array(
  z.looseObject({
    state: z.enum(['waiting', 'delivered', 'lost', 'stopped']),
    attempts_made: z.number(),
    next_attempt_at: momentSchema.nullable(),
    envelope: z.looseObject({ type: z.string(), uuid: z.string() }),
    attempts: z.array(
      z.looseObject({
        number: z.number(),
        started_at: momentSchema,
        duration_ms: z.number(),
        url: z.string(),
      }),
    ),
  }),
)

const ScenariosSchema = z.array(z.looseObject({ name: z.string(), group: z.string() }))

const PlaySchema = z.looseObject({ transaction_uuid: z.guid().optional(), events: z.number() })
