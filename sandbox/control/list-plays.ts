import { z } from 'zod'
import type { QueryClient } from '../database/transaction.ts'

export type ShownPlay = z.output<typeof PlayRowSchema>

/** The last ten plays, newest first. */
export async function listPlays(database: QueryClient): Promise<ShownPlay[]> {
  const { rows } = await database.query(
    `SELECT p.id, p.scenario, p.transaction_uuid, p.events, p.started_at, a.email
     FROM play p JOIN account a ON a.uuid = p.user_uuid ORDER BY p.started_at DESC, p.id LIMIT 10`,
  )
  return z.array(PlayRowSchema).parse(rows)
}

const PlayRowSchema = z.object({
  id: z.string(),
  scenario: z.string(),
  transaction_uuid: z.string().nullable(),
  events: z.number(),
  started_at: z.date(),
  email: z.string(),
})
