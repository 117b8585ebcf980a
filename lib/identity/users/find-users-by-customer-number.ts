import 'server-only'
import { pool } from '#lib/platform/db/pool.ts'
import type { CleanText } from '#lib/platform/rules/pasted-text.ts'
import { toTerm } from './person-terms.ts'

/** Most people that one number is looked up for: a merchant may have given it to several users of the service. */
const most = 20

/** The users to whom the merchant gave this number, whatever its case and spaces. */
export async function findUsersByCustomerNumber(text: CleanText): Promise<string[]> {
  const term = toTerm(text)
  if (term === '') return []
  const { rows } = await pool().query<{ user_uuid: string }>(BY_NUMBER, [term, most])
  return rows.map((row) => row.user_uuid)
}

const BY_NUMBER = 'SELECT user_uuid FROM person WHERE customer_number_key = $1 ORDER BY user_uuid LIMIT $2'
