import 'server-only'
import { may, type Role } from '#lib/domain/access/roles.ts'

/** A person as lists show one. Names and the e-mail are masked for whoever may not see them. */
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

export function toPersonView(row: PersonRow, role: Role): PersonView {
  const name = [row.first_name, row.last_name].filter(Boolean).join(' ') || null
  return {
    userUuid: row.user_uuid,
    email: personal(row.email, role),
    name: personal(name, role),
    customerNumber: row.customer_number,
    status: row.status,
    country: row.country,
    since: row.created_at.toISOString(),
  }
}

/** Whether this role reads who somebody is. */
export const seesWho = (role: Role): boolean => may(role, 'work-on-cases')

/** Who somebody is, for roles that work with customers; its shape alone for the others. */
export const personal = (text: string | null, role: Role): string | null =>
  text === null || seesWho(role) ? text : masked(text)

/** `a•••@demo.test`, `A••• R•••`. */
const masked = (text: string): string =>
  text.replace(/\S+/g, (word) => {
    const [head = '', ...host] = word.split('@')
    return [`${[...head][0] ?? ''}•••`, ...host].join('@')
  })
