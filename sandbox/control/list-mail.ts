import { z } from 'zod'
import type { QueryClient } from '../database/transaction.ts'

export type Mail = z.output<typeof MailRowSchema>

/** The last 100 mails, of one address or of all, newest last. */
export async function listMail(database: QueryClient, email?: string): Promise<Mail[]> {
  const { rows } = await database.query(
    `SELECT * FROM (
       SELECT number, id, user_uuid, email, code, sent_at, bounced FROM mail
       WHERE $1::text IS NULL OR lower(email) = lower($1) ORDER BY number DESC LIMIT 100
     ) newest ORDER BY number`,
    [email?.trim() || null],
  )
  return z.array(MailRowSchema).parse(rows)
}

export const MailRowSchema = z.object({
  id: z.string().meta({ format: 'uuid' }),
  user_uuid: z.string().meta({ format: 'uuid' }),
  email: z.string(),
  code: z.string().meta({ example: '123456' }),
  sent_at: z.date(),
  bounced: z.boolean(),
})
