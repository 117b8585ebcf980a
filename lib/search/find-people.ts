import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { showValue } from '#lib/domain/access/show-value.ts'
import type { QueryReading } from '#lib/domain/search/read-query.ts'
import type { Caller } from '#lib/request/caller.ts'
import { findUserByEmail } from '#lib/users/find-user-by-email.ts'
import { findUsersByCustomerNumber } from '#lib/users/find-users-by-customer-number.ts'
import type { FoundPerson } from './found.ts'

/** Whom the whole text names: by e-mail, or by the merchant's own number. The caller sees everybody's subjects. */
export async function findPeople(
  caller: Caller,
  text: string,
  { email, accountNumber }: QueryReading,
): Promise<FoundPerson[]> {
  const byEmail = email === undefined ? null : await findUserByEmail(email)
  const byNumber = accountNumber === undefined ? [] : await findUsersByCustomerNumber(text)
  const found = [...new Set([...(byEmail ? [byEmail.userUuid] : []), ...byNumber])]
  if (found.length === 0) return []
  const { rows } = await pool().query<PersonRow>(PEOPLE, [found])
  return rows.map((row) => ({
    userUuid: row.user_uuid,
    email: showValue(caller.role, 'person', row.email),
    customerNumber: row.customer_number,
  }))
}

interface PersonRow {
  readonly user_uuid: string
  readonly email: string | null
  readonly customer_number: string | null
}

const PEOPLE =
  'SELECT user_uuid, email, customer_number FROM person WHERE user_uuid = ANY($1) ORDER BY user_uuid'
