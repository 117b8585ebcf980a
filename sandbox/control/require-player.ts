import type { QueryClient } from '../database/transaction.ts'
import { type Account, listAccounts, requireAccount } from '../service/accounts.ts'
import { notFound } from '../service/refusal.ts'

/** The user a scenario is about: the one named, else the oldest. */
export async function requirePlayer(database: QueryClient, uuid: string | undefined): Promise<Account> {
  if (uuid) return requireAccount(database, uuid)
  const [oldest] = await listAccounts(database)
  if (!oldest) throw notFound('There is no user yet: create one with POST /user')
  return oldest
}
