import 'server-only'
import { csvCells, type Separator, separatorOf } from '#lib/domain/text/csv-cells.ts'
import { ownValue } from '#lib/domain/text/own-value.ts'
import { isUuid } from '#lib/domain/text/uuid.ts'
import { CustomerNumberSchema } from '#lib/people/customer-number.ts'
import { NewPersonSchema } from '#lib/people/new-person.ts'
import { Refused } from '#lib/request/refusals.ts'

/** The columns of a file, by where they stand. */
export interface Columns {
  readonly separator: Separator
  readonly at: ReadonlyMap<ColumnName, number>
  /** Headings that mean nothing here. */
  readonly unknown: readonly string[]
}

type ColumnName = 'userUuid' | 'email' | 'firstName' | 'lastName' | 'country' | 'customerNumber'

/** What a line asks for: somebody whom the service knows, somebody new, or nothing that can be done. */
export type JudgedLine =
  | { readonly kind: 'existing'; readonly userUuid: string; readonly customerNumber: string | null }
  | {
      readonly kind: 'new'
      readonly email: string
      readonly firstName: string
      readonly lastName: string
      readonly country: string
      readonly customerNumber: string | null
    }
  | { readonly kind: 'broken'; readonly error: string }

/** Reads the heading line. Throws `Refused` when it names neither uuids nor e-mail addresses. */
export function readHeading(text: string): Columns {
  const line = text.replace(/^\ufeff/, '')
  const separator = separatorOf(line)
  const headings = csvCells(line, separator) ?? []
  const at = new Map<ColumnName, number>()
  const unknown: string[] = []
  for (const [index, heading] of headings.entries()) {
    const name = names.get(heading.toLowerCase().replace(/[^a-z]/g, ''))
    if (name && !at.has(name)) at.set(name, index)
    else unknown.push(heading.slice(0, 50))
  }
  if (!at.has('userUuid') && !at.has('email')) throw new Refused(noColumns)
  return { separator, at, unknown }
}

const names = new Map<string, ColumnName>([
  ['useruuid', 'userUuid'],
  ['uuid', 'userUuid'],
  ['email', 'email'],
  ['emailaddress', 'email'],
  ['firstname', 'firstName'],
  ['lastname', 'lastName'],
  ['country', 'country'],
  ['customernumber', 'customerNumber'],
  ['customerid', 'customerNumber'],
])

const noColumns = {
  title: 'The first line names no column that is known here.',
  next: 'Nothing was imported. Give user_uuid for users whom the service knows, or email, first_name, last_name and country for new people; customer_number beside either.',
}

/** Characters of a line that can be anybody. */
const longestLine = 5_000

/** Judges one line by itself. */
export function judgeLine(text: string, { separator, at }: Columns): JudgedLine {
  if (text.length > longestLine) return broken('The line is too long.')
  if (text.includes('\ufffd')) return broken('The line is not UTF-8.')
  const cells = csvCells(text, separator)
  if (!cells) return broken('A quotation mark is not closed in this line.')
  const given = (name: ColumnName) => cells[at.get(name) ?? -1] ?? ''
  const number = CustomerNumberSchema.safeParse(given('customerNumber'))
  if (!number.success) return broken(`Customer number: ${number.error.issues[0]?.message}`)
  const userUuid = given('userUuid')
  if (userUuid !== '') {
    if (!isUuid(userUuid)) return broken('User uuid: this is not a uuid.')
    return { kind: 'existing', userUuid: userUuid.toLowerCase(), customerNumber: number.data }
  }
  const person = NewPersonSchema.safeParse({
    email: given('email'),
    firstName: given('firstName'),
    lastName: given('lastName'),
    country: given('country').toUpperCase(),
  })
  if (person.success) return { kind: 'new', ...person.data, customerNumber: number.data }
  const [issue] = person.error.issues
  return broken(`${ownValue(fieldLabels, String(issue?.path[0])) ?? 'Line'}: ${issue?.message}`)
}

const broken = (error: string): JudgedLine => ({ kind: 'broken', error })

const fieldLabels: Readonly<Record<string, string>> = {
  email: 'E-mail',
  firstName: 'First name',
  lastName: 'Last name',
  country: 'Country',
}
