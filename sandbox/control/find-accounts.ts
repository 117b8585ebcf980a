import { z } from 'zod'
import type { QueryClient } from '../database/transaction.ts'
import { type Account, AccountRowSchema } from '../service/accounts.ts'

/** The newest users that fit, and how many there are. `text` is a part of the name, e-mail, wallet address or uuid. */
export async function findAccounts(
  database: QueryClient,
  text: string | undefined,
  limit: number,
): Promise<{ accounts: Account[]; total: number }> {
  const { rows } = await database.query(
    `select *, date_of_birth::text as date_of_birth, count(*) over ()::int as total from account
     where $1::text is null
       or position(lower($1) in lower(concat_ws(' ', first_name, last_name, email, target_address, uuid))) > 0
     order by created_at desc, uuid limit $2`,
    [text ?? null, limit],
  )
  return { accounts: z.array(AccountRowSchema).parse(rows), total: rows[0]?.total ?? 0 }
}
