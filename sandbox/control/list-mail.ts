import { z } from 'zod'
import type { QueryClient } from '../database/transaction.ts'

export type Mail = z.output<typeof MailRowSchema>

/** The last 100 mails, of one address or of all, newest last. */
export async function listMail(database: QueryClient, email?: string): Promise<Mail[]> {
  const { rows } = await database.query(
    `select * from (
       select number, id, user_uuid, email, code, sent_at, bounced from mail
       where $1::text is null or lower(email) = lower($1) order by number desc limit 100
     ) newest order by number`,
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
