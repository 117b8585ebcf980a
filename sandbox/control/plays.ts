import { z } from 'zod'
import type { QueryClient } from '../database/pool.ts'
import { type Account, listAccounts, requireAccount } from '../service/accounts.ts'
import { notFound } from '../service/refusal.ts'
import { EnvelopeSchema } from '../state/event-types.ts'

export interface ShownPlay extends Omit<z.output<typeof PlayRowSchema>, 'first'> {
  /**
   * The uuid names the transaction, bank account, person or company of the scenario. It is the user's uuid until the first
   * event is sent.
   */
  readonly subject_uuid: string
}

export const mostPlays = 50

/** Each play comes with the state of its events. The newest play is first. */
export async function listPlays(database: QueryClient): Promise<ShownPlay[]> {
  const { rows } = await database.query(
    `SELECT p.id, p.scenario, p.user_uuid, p.transaction_uuid, p.events, p.started_at, a.email, became.*,
       (SELECT body FROM event WHERE id = p.event_ids[1]) AS first
     FROM (SELECT * FROM play ORDER BY number DESC LIMIT ${mostPlays}) p JOIN account a ON a.uuid = p.user_uuid
     CROSS JOIN LATERAL (
       SELECT count(e.id)::int AS sent,
         count(*) FILTER (WHERE d.wanted > 0 AND d.delivered = d.wanted)::int AS delivered,
         count(*) FILTER (WHERE d.lost > 0)::int AS lost,
         count(*) FILTER (WHERE d.wanted = 0)::int AS unwanted
       FROM unnest(p.event_ids) AS planned (id) JOIN event e ON e.id = planned.id
       CROSS JOIN LATERAL (
         SELECT count(*) AS wanted, count(*) FILTER (WHERE state = 'delivered') AS delivered,
           count(*) FILTER (WHERE state IN ('lost', 'stopped')) AS lost
         FROM delivery WHERE event_id = e.id
       ) d
     ) became
     ORDER BY p.number DESC`,
  )
  return z
    .array(PlayRowSchema)
    .parse(rows)
    .map(({ first, ...play }) => ({
      ...play,
      subject_uuid: play.transaction_uuid ?? subjectOf(first) ?? play.user_uuid,
    }))
}

/** Events of a bank account or profile name it in `data.uuid` (§6.3 to §6.5). */
function subjectOf(body: string | null): string | null {
  if (body === null) return null
  const { type, uuid, data } = EnvelopeSchema.parse(JSON.parse(body))
  return /bankAccount/i.test(type) ? z.string().parse(data.uuid) : uuid
}

const PlayRowSchema = z.object({
  id: z.string(),
  scenario: z.string(),
  user_uuid: z.string(),
  transaction_uuid: z.string().nullable(),
  events: z.number(),
  started_at: z.date(),
  email: z.string(),
  /**
   * The counts say how many events were sent, how many every endpoint took, how many some endpoint will never get, and how
   * many no endpoint subscribed to.
   */
  sent: z.number(),
  delivered: z.number(),
  lost: z.number(),
  unwanted: z.number(),
  /** The body is null until the first event is sent. */
  first: z.string().nullable(),
})

/** The scenario is about the named user, or else the oldest user. */
export async function requirePlayer(database: QueryClient, uuid: string | undefined): Promise<Account> {
  if (uuid) return requireAccount(database, uuid)
  const [oldest] = await listAccounts(database)
  if (!oldest) throw notFound('There is no user yet: create one with POST /user')
  return oldest
}
