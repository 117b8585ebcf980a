import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import { may, type Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import {
  findUserByEmail,
  findUsersByCustomerNumber,
  findUsersByTerm,
} from '#lib/identity/users/find-users.ts'
import { emailKey, fullName, toTerm } from '#lib/identity/users/person-texts.ts'
import { lowerCase } from '#lib/platform/db/sql-text.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import type { FoundEndpoint, FoundPerson, Why } from './found.ts'
import type { QueryReading } from './rules/read-query.ts'
import { searchQuery } from './search-query.ts'

/** Most people that one text may name: with more the answer says that some are missing. */
const mostPeople = 20

interface FoundPeople {
  readonly people: readonly FoundPerson[]
  readonly cut: boolean
  /** The text is a number that the merchant gave to somebody. */
  readonly isNumber: boolean
}

/**
 * Whom the text names: by e-mail, by name, or by the merchant's own number. Whoever sees people masked finds them by whole
 * terms alone: parts would undo the mask. The caller sees everybody's subjects.
 */
export async function findPeople(
  caller: Caller,
  text: CleanText,
  reading: QueryReading,
): Promise<FoundPeople> {
  const { email, accountNumber, customerNumber, name } = reading
  const sees = visibilityOf(caller.role, 'person') === 'plain'
  // A number may stand behind "Customer number".
  const numbers = accountNumber === undefined ? [customerNumber ?? []].flat() : [text, accountNumber]
  const [byEmail, byNumber] = await Promise.all([
    email === undefined ? null : findUserByEmail(cleanText(email)),
    Promise.all([...new Set(numbers)].map((number) => findUsersByCustomerNumber(cleanText(number)))),
  ])
  const term = name ?? (email !== undefined && byEmail === null && sees ? email : null)
  const byTerm =
    term === null ? [] : await findUsersByTerm(cleanText(term), sees ? 'beginning' : 'whole', mostPeople + 1)
  const found = [...new Set([...(byEmail ? [byEmail.userUuid] : []), ...byNumber.flat(), ...byTerm])]
  if (found.length === 0) return { people: [], cut: false, isNumber: false }
  const rows = await searchQuery<PersonRow>(PEOPLE, [found.slice(0, mostPeople)])
  const typed = toTerm(term ?? email ?? (byNumber[0]?.length ? text : (accountNumber ?? text)))
  const isMeant = (row: PersonRow) => email !== undefined && emailKey(row.email ?? '') === emailKey(email)
  return {
    // One address may have two spellings.
    people: rows.map((row) =>
      toFoundPerson(caller.role, row, isMeant(row) ? toTerm(row.email ?? '') : typed),
    ),
    cut: found.length > mostPeople,
    isNumber: byNumber.flat().length > 0,
  }
}

interface PersonRow {
  readonly user_uuid: string
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly customer_number: string | null
}

const PEOPLE = `
  SELECT user_uuid, email, first_name, last_name, customer_number FROM person WHERE user_uuid = ANY($1)
  ORDER BY user_uuid`

function toFoundPerson(role: Role, row: PersonRow, typed: string): FoundPerson {
  const person = {
    userUuid: row.user_uuid,
    email: row.email,
    name: fullName(row),
    customerNumber: row.customer_number,
  }
  const shown = showRecord(role, 'person', person)
  const fields: readonly (readonly [Why['field'], string | null, string | null])[] = [
    ['customer-number', person.customerNumber, shown.customerNumber],
    ['email', person.email, shown.email],
    ['name', person.name, shown.name],
  ]
  const [field, value, text] = fields.find(([, one]) => placeOf(typed, one) !== null) ?? [
    'person' as const,
    person.userUuid,
    shown.userUuid,
  ]
  const from = placeOf(typed, value)
  return {
    ...shown,
    why: {
      field,
      text: text ?? '',
      marks: from === null || text !== value ? [] : [{ from, to: from + typed.length }],
    },
  }
}

/** Where a word of the value begins as it was typed; null when none does. Without accents it must be as long as with them. */
function placeOf(typed: string, value: string | null): number | null {
  const term = toTerm(value ?? '')
  if (value === null || term.length !== value.length || typed === '') return null
  const at = ` ${term}`.indexOf(` ${typed}`)
  return at === -1 ? null : at
}

/** The endpoints that deliver here whose name holds the text, or whose id begins with it; none for roles that see none. */
export async function findEndpoints({ role }: Caller, text: CleanText): Promise<FoundEndpoint[]> {
  const wanted = text.toLowerCase()
  if (!may(role, 'see-endpoint-health') || wanted.length < 3 || wanted.length > 100) return []
  const rows = await searchQuery<EndpointRow>(ENDPOINTS, [wanted])
  return rows.map(({ endpoint_uuid: endpointUuid, name, status }) => ({ endpointUuid, name, status }))
}

interface EndpointRow {
  readonly endpoint_uuid: string
  readonly name: string
  readonly status: string
}

const ENDPOINTS = `
  SELECT endpoint_uuid, name, status FROM watched_endpoint
  WHERE strpos(${lowerCase('name')}, $1) > 0 OR starts_with(endpoint_uuid::text, $1) ORDER BY name, endpoint_uuid LIMIT 5`
