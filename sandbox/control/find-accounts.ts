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
    `SELECT *, date_of_birth::text AS date_of_birth, count(*) OVER ()::int AS total FROM account
     WHERE $1::text IS NULL
       OR position(lower($1 COLLATE "C") IN lower(concat_ws(' ', first_name, last_name, email, target_address, uuid) COLLATE "C")) > 0
     ORDER BY number DESC LIMIT $2`,
    [text ?? null, limit],
  )
  return { accounts: z.array(AccountRowSchema).parse(rows), total: rows[0]?.total ?? 0 }
}
