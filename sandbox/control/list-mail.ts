import { z } from '@hono/zod-openapi'
import type { QueryClient } from '../database/transaction.ts'

export type Mail = z.output<typeof MailRowSchema>

/** The last 100 mails, of one address or of all, newest last. The case counts where it tells two people apart. */
export async function listMail(database: QueryClient, email?: string): Promise<Mail[]> {
  const { rows } = await database.query(
    `SELECT * FROM (
       SELECT number, id, user_uuid, email, code, sent_at, bounced FROM mail
       WHERE $1::text IS NULL OR email = $1
         OR (lower(email) = lower($1) AND NOT EXISTS (SELECT FROM account WHERE account.email = $1))
       ORDER BY number DESC LIMIT 100
     ) newest ORDER BY number`,
    [email && addressIn(email)],
  )
  return z.array(MailRowSchema).parse(rows)
}

/** A plus sign that was not encoded in a query came as a blank, which outside quotes no address has. */
const addressIn = (email: string) =>
  email.includes('"') ? email.trim() : email.trimEnd().replaceAll(' ', '+')

export const MailRowSchema = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    user_uuid: z.string().meta({ format: 'uuid' }),
    email: z.string().meta({ example: 'someone@demo.test' }),
    code: z.string().meta({ example: '123456' }),
    sent_at: z.date(),
    bounced: z.boolean(),
  })
  .openapi('Mail')
