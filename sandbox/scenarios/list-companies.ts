import type { QueryClient } from '../database/transaction.ts'
import type { Account } from '../service/accounts.ts'
import { companyOf } from './account-bodies.ts'

/** ASSUMED: a user is linked to a company as soon as something happened to it. */
export async function listCompanies(database: QueryClient, account: Account): Promise<string[]> {
  const { rows } = await database.query(
    'SELECT FROM play WHERE user_uuid = $1 AND scenario = ANY($2) LIMIT 1',
    [account.uuid, aboutCompanies],
  )
  return rows.length > 0 ? [companyOf(account)] : []
}

const aboutCompanies = ['kyb', 'kyb-failed', 'entity-suspended', 'link-bank-account-company']
