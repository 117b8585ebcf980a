import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import type { Role, StaffRole } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { fullName } from '#lib/identity/users/person-texts.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'
import { type Language, languageOfCountry } from '#lib/platform/rules/language.ts'
import type { StandingDoubt, StandingView } from './standings/standings.ts'

/** `PersonView` is a person for a list. Names and addresses are masked for roles that may not see them. */
export interface PersonView {
  readonly userUuid: string
  readonly email: string | null
  readonly name: string | null
  readonly customerNumber: string | null
  /** The status is the service's own word, such as `FULL_USER`. */
  readonly status: string | null
  /** The country is ISO 3166-1 alpha-2. */
  readonly country: string | null
  /** The directory first knew the person at this time (ISO 8601). */
  readonly since: string
  /** The directory shows this doubt about the verification in the events. */
  readonly doubt?: StandingDoubt | null
  /** The directory shows the latest standing of each type that the role may know of, newest first. */
  readonly standings?: readonly StandingView[]
}

export interface PersonRow {
  readonly user_uuid: string
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly customer_number: string | null
  readonly status: string | null
  readonly country: string | null
  readonly created_at: Date
}

export const personColumns = `person.user_uuid, person.email, person.first_name, person.last_name, person.customer_number,
  person.status, person.country, person.created_at`

export const toPersonView = (row: PersonRow, role: StaffRole): PersonView =>
  showRecord(role, 'person', {
    userUuid: row.user_uuid,
    email: row.email,
    name: fullName(row),
    customerNumber: row.customer_number,
    status: row.status,
    country: row.country,
    since: row.created_at.toISOString(),
  })

/** The role sees who somebody is. */
export const seesWho = (role: Role): boolean => visibilityOf(role, 'person') === 'plain'

/** The country in the directory suggests the person's language; null when it says nothing. Throws `NotAllowed`. */
export async function readPersonLanguage(caller: Caller, userUuid: string | null): Promise<Language | null> {
  requirePermission(caller, 'see-everything')
  if (userUuid === null || !isUuid(userUuid)) return null
  const { rows } = await pool().query<{ country: string | null }>(
    'SELECT country FROM person WHERE user_uuid = $1',
    [userUuid],
  )
  return languageOfCountry(rows[0]?.country ?? null)
}
