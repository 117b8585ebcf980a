import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { fullName } from '#lib/identity/users/person-texts.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'
import { type Language, languageOfCountry } from '#lib/platform/rules/language.ts'
import type { StandingDoubt, StandingView } from './standings/standings.ts'

/** A person as lists show one. Who it is, is masked for whoever may not see it. */
export interface PersonView {
  readonly userUuid: string
  readonly email: string | null
  readonly name: string | null
  readonly customerNumber: string | null
  /** The service's own word, such as `FULL_USER`. */
  readonly status: string | null
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
  /** ISO 8601: when the directory first heard of them. */
  readonly since: string
  /** In the directory: what unsettles the verification in the events. */
  readonly doubt?: StandingDoubt | null
  /** The events' last word of them in the directory, by type, where the role knows of it; newest first. */
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

export const toPersonView = (row: PersonRow, role: Role): PersonView =>
  showRecord(role, 'person', {
    userUuid: row.user_uuid,
    email: row.email,
    name: fullName(row),
    customerNumber: row.customer_number,
    status: row.status,
    country: row.country,
    since: row.created_at.toISOString(),
  })

/** Whether this role reads who somebody is. */
export const seesWho = (role: Role): boolean => visibilityOf(role, 'person') === 'plain'

/** In which language a person is likely to be spoken to, by their country in the directory; null where that says nothing. Throws `NotAllowed`. */
export async function readPersonLanguage(caller: Caller, userUuid: string | null): Promise<Language | null> {
  requirePermission(caller, 'see-everything')
  if (userUuid === null || !isUuid(userUuid)) return null
  const { rows } = await pool().query<{ country: string | null }>(
    'SELECT country FROM person WHERE user_uuid = $1',
    [userUuid],
  )
  return languageOfCountry(rows[0]?.country ?? null)
}
