import 'server-only'
import type { Caller, CallerWith } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import { may, type StaffRole } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { findUserByEmail, findUsersByCustomerNumber, findUsersByTerm } from '#lib/identity/users/directory.ts'
import { emailKey, fullName, toTerm } from '#lib/identity/users/person-texts.ts'
import { lowerCase } from '#lib/platform/db/statements.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import type { FoundEndpoint, FoundPerson, Why } from './found.ts'
import type { QueryReading } from './rules/read-query.ts'
import { searchQuery } from './search-query.ts'

/** One text may name this many people; with more, the result says that some are missing. */
const mostPeople = 20

interface FoundPeople {
  readonly people: readonly FoundPerson[]
  readonly cut: boolean
  /** The text is the merchant's own number of somebody. */
  readonly isNumber: boolean
}

/**
 * The text may be an e-mail address, a name, or the merchant's own number of a person. A role that sees people masked finds
 * them only by whole terms, because parts would undo the mask. The caller sees everybody's subjects.
 */
export async function findPeople(
  caller: CallerWith<'see-everything'>,
  text: CleanText,
  reading: QueryReading,
): Promise<FoundPeople> {
  const { email, accountNumber, customerNumber, name } = reading
  const sees = visibilityOf(caller.role, 'person') === 'plain'
  // A number may follow the words "Customer number".
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

function toFoundPerson(role: StaffRole, row: PersonRow, typed: string): FoundPerson {
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

/**
 * The position is where a word of the value begins with the typed text; null when none does. Without accents
 * the value must keep its length.
 */
function placeOf(typed: string, value: string | null): number | null {
  const term = toTerm(value ?? '')
  if (value === null || term.length !== value.length || typed === '') return null
  const at = ` ${term}`.indexOf(` ${typed}`)
  return at === -1 ? null : at
}

/** The name of the endpoint contains the text, or its id begins with it; roles that see no endpoints get none. */
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
