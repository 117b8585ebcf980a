import 'server-only'
import type { Caller, CallerWith } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import { may, type StaffRole } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { findUserByEmail, findUsersByCustomerNumber, findUsersByTerm } from '#lib/identity/users/directory.ts'
import { emailKey, fullName, spelledTerms, toTerm, withDot } from '#lib/identity/users/person-texts.ts'
import { isEmailAddress, withoutMarks } from '#lib/platform/rules/mail-address.ts'
import {
  type CleanText,
  cleanText,
  longLetters,
  nameKey,
  plainLetters,
  plainText,
  withoutListMarks,
} from '#lib/platform/rules/pasted-text.ts'
import type { FoundEndpoint, FoundPerson, Why } from './found.ts'
import type { MatchedPart } from './rules/probes.ts'
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
  // The name of a field before an address may belong to it: `user=ana@demo.test`.
  const written = email === undefined ? [] : [...new Set([email, ...(isEmailAddress(text) ? [text] : [])])]
  const [{ emails, byEmail }, byNumber] = await Promise.all([
    findByEmails(written, withoutMarks(email ?? '')),
    Promise.all([...new Set(numbers)].map((number) => findUsersByCustomerNumber(cleanText(number)))),
  ])
  const term = name ?? (email !== undefined && byEmail.length === 0 && sees ? email : null)
  const terms = term === null ? [] : sees ? [term] : withDot(term)
  const byTerm = await Promise.all(
    terms.map((one) => findUsersByTerm(cleanText(one), sees ? 'beginning' : 'whole', mostPeople + 1)),
  )
  const found = [...new Set([byEmail.map(({ userUuid }) => userUuid), byNumber.flat(), byTerm.flat()].flat())]
  if (found.length === 0) return { people: [], cut: false, isNumber: false }
  const rows = await searchQuery<PersonRow>(PEOPLE, [found.slice(0, mostPeople)])
  const isNumber = byNumber.flat().length > 0
  const typed = [term ?? email ?? [], isNumber ? numbers : []].flat().flatMap(spelledTerms)
  const isMeant = (row: PersonRow) => emails.some((one) => emailKey(row.email ?? '') === emailKey(one))
  return {
    // One address may have two spellings.
    people: rows.map((row) =>
      toFoundPerson(caller.role, row, isMeant(row) ? [toTerm(row.email ?? '')] : typed),
    ),
    cut: found.length > mostPeople,
    isNumber,
  }
}

/** The other address is looked up when the written ones name nobody. */
async function findByEmails(written: readonly string[], other: string) {
  const found = await Promise.all(written.map((one) => findUserByEmail(cleanText(one))))
  const byEmail = found.flatMap((user) => user ?? [])
  if (byEmail.length > 0 || other === '' || written.includes(other)) return { emails: written, byEmail }
  return { emails: [other], byEmail: [(await findUserByEmail(cleanText(other))) ?? []].flat() }
}

/**
 * The text is the whole uuid or wallet of these people. Everything of theirs carries the uuid anyway, and a wallet names its
 * own transactions, so nothing else is found through them.
 */
export async function findOwners(
  caller: CallerWith<'see-everything'>,
  { probes }: QueryReading,
): Promise<readonly FoundPerson[]> {
  const ids = probes.flatMap(({ prefix }) =>
    prefix !== null && wholeId.test(prefix) ? [cleanText(prefix)] : [],
  )
  const found = await Promise.all([...new Set(ids)].map((id) => findUsersByTerm(id, 'whole', mostPeople)))
  if (found.flat().length === 0) return []
  const rows = await searchQuery<PersonRow>(PEOPLE, [[...new Set(found.flat())]])
  return rows.map((row) => toFoundPerson(caller.role, row, []))
}

const wholeId = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]{40})$/

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

function toFoundPerson(role: StaffRole, row: PersonRow, typed: readonly string[]): FoundPerson {
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
  const [field, value, text] = fields.find(([, one]) => partOf(typed, one) !== null) ?? [
    'person' as const,
    person.userUuid,
    shown.userUuid,
  ]
  const mark = text === value ? partOf(typed, value) : null
  return { ...shown, why: { field, text: text ?? '', marks: mark === null ? [] : [mark] } }
}

/** The part begins a word of the value with one of the typed terms, in either spelling; null when none does. */
function partOf(typed: readonly string[], value: string | null): MatchedPart | null {
  const signs = [...(value ?? '')]
  const plain = signs.map((sign) => plainText(sign))
  for (const spelled of [plain, plain.map(longLetters)].map((each) => each.map(plainLetters))) {
    for (const term of typed) {
      const at = ` ${spelled.join('')}`.indexOf(` ${term}`)
      if (at !== -1)
        return { from: placeOf(signs, spelled, at), to: placeOf(signs, spelled, at + term.length) }
    }
  }
  return null
}

/** The place in a text before which its signs are spelled with so many letters: `ß` with two. */
function placeOf(signs: readonly string[], spelled: readonly string[], letters: number): number {
  let [place, read] = [0, 0]
  for (const [nth, sign] of signs.entries()) {
    if (read >= letters) break
    read += spelled[nth]?.length ?? 0
    place += sign.length
  }
  return place
}

/** The name of the endpoint contains the text, or its id begins with it; roles that see no endpoints get none. */
export async function findEndpoints({ role }: Caller, text: CleanText): Promise<FoundEndpoint[]> {
  const wanted = nameKey(withoutListMarks(text))
  if (!may(role, 'see-endpoint-health') || wanted.length < 3 || wanted.length > 100) return []
  const rows = await searchQuery<EndpointRow>(ENDPOINTS, [])
  return rows
    .filter((row) => nameKey(row.name).includes(wanted) || row.endpoint_uuid.startsWith(wanted))
    .slice(0, mostEndpoints)
    .map(({ endpoint_uuid: endpointUuid, name, status }) => ({ endpointUuid, name, status }))
}

/** One text may name this many endpoints. */
const mostEndpoints = 5

interface EndpointRow {
  readonly endpoint_uuid: string
  readonly name: string
  readonly status: string
}

/** A merchant has few endpoints, so their names are compared here, in one form of both. */
const ENDPOINTS = 'SELECT endpoint_uuid, name, status FROM watched_endpoint ORDER BY name, endpoint_uuid'
