import 'server-only'
import { Refused } from '#lib/platform/refusals.ts'
import { csvCells, type Separator, separatorOf, separators } from '#lib/platform/rules/csv.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { cleanText, oneLine } from '#lib/platform/rules/pasted-text.ts'
import { findUuid } from '#lib/platform/rules/whole-ids.ts'
import { wordField } from '#lib/words/labels/refusals.ts'
import { CustomerNumberSchema, NewPersonSchema } from '../manage-people.ts'

/** A file has at most this many bytes. */
const mostBytes = 32 * 1024 * 1024

/** The first line of the file has the number 1. */
interface FileLine {
  readonly number: number
  readonly text: string
}

/** A line has at most this many characters: one without an end would be copied again with each chunk. */
const longestLine = 64 * 1024

/**
 * The lines of an upload come as they arrive, without those that are empty or have only separators, as spreadsheets
 * write below a table. Throws `Refused` when the upload, or a line of it, is too large.
 */
export async function* readFileLines(upload: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine> {
  let number = 0
  let begun: string[] = []
  let length = 0
  for await (const portion of textOf(upload)) {
    for (const [nth, piece] of portion.split(/\r\n|\n|\r/).entries()) {
      if (nth > 0) {
        const text = begun.join('')
        number++
        if (!/^[\s,;|]*$/.test(text)) yield { number, text }
        begun = []
        length = 0
      }
      begun.push(piece)
      length += piece.length
      if (length > longestLine) throw new Refused('import-line-too-long')
    }
  }
}

/** The text ends with a line end, and no line end of two characters lies across two portions. */
async function* textOf(upload: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let begin: Uint8Array = new Uint8Array()
  let bytes = 0
  let held = ''
  for await (const chunk of upload) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Refused('import-too-large')
    begin = decoder ? chunk : Buffer.concat([begin, chunk])
    if (!decoder && begin.length < 2) continue
    decoder ??= new TextDecoder(encodingOf(begin))
    const text = held + decoder.decode(begin, { stream: true })
    held = text.endsWith('\r') ? '\r' : ''
    yield text.slice(0, text.length - held.length)
  }
  yield `${held}${decoder?.decode() ?? new TextDecoder().decode(begin)}\n`
}

/**
 * The mark at the beginning names the encoding. Without one, a text of Latin letters in UTF-16 has 0 in every other
 * byte.
 */
function encodingOf(begin: Uint8Array): string {
  const [first, second] = begin
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (begin.length > 1 && (first === 0) !== (second === 0)) return first === 0 ? 'utf-16be' : 'utf-16le'
  return 'utf-8'
}

/** The columns of a file are known by their positions. */
interface Columns {
  readonly separator: Separator
  readonly at: ReadonlyMap<ColumnName, number>
  readonly count: number
  /** These headings mean nothing here. */
  readonly unknown: readonly string[]
}

type ColumnName = 'userUuid' | 'email' | 'firstName' | 'lastName' | 'country' | 'customerNumber'

/** A line asks for a user whom the service knows, for a new one, or for nothing that can be done. */
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

/** A first line may name the separator for spreadsheets, such as `sep=;`; null for any other line. */
export function namedSeparator(text: string): Separator | null {
  const sign = /^\ufeff?"?sep=(.)"?$/i.exec(text)?.[1]
  return separators.find((one) => one === sign) ?? null
}

/** The next heading has further lines while a quotation mark is open in it. Null when the file has ended. */
export async function nextHeading(lines: AsyncIterator<FileLine, void>): Promise<string | null> {
  let heading: string | null = null
  for (let count = 0; count === 0 || (heading !== null && isOpen(heading) && count < mostOfOne); count++) {
    const next = await lines.next()
    if (next.done) break
    heading = heading === null ? next.value.text : `${heading}\n${next.value.text}`
  }
  return heading
}

/**
 * The heading line gives the columns. Throws `Refused` when it is not UTF-8, or names neither uuids nor all that a new
 * person needs.
 */
export function readHeading(text: string, named: Separator | null = null): Columns {
  if (text.includes('\ufffd')) throw new Refused('import-not-utf8')
  const line = text.replace(/^\ufeff/, '')
  const separator = named ?? separatorOf(line)
  const headings = csvCells(line, separator) ?? []
  const at = new Map<ColumnName, number>()
  const unknown: string[] = []
  for (const [index, heading] of headings.entries()) {
    const name = names.get(
      cleanText(heading)
        .toLowerCase()
        .normalize('NFD')
        .replace(/[^a-z]/g, ''),
    )
    if (name && !at.has(name)) at.set(name, index)
    else unknown.push(oneLine(heading).slice(0, 50))
  }
  if (at.size === 0) throw new Refused('import-no-columns')
  const missing = at.has('userUuid') ? [] : ofNewPeople.filter(([name]) => !at.has(name))
  if (missing.length > 0)
    throw new Refused('import-columns-missing', {
      missing: missing.map(([, heading]) => heading).join(', '),
      unknown:
        unknown
          .filter((heading) => heading !== '')
          .slice(0, mostUnknown)
          .join(', ') || 'none',
    })
  return { separator, at, unknown, count: headings.length }
}

/** A new person needs these columns, under these headings. */
const ofNewPeople: readonly (readonly [ColumnName, string])[] = [
  ['email', 'email'],
  ['firstName', 'first_name'],
  ['lastName', 'last_name'],
  ['country', 'country'],
]

/** A refusal names this many unknown headings. */
const mostUnknown = 5

const names = new Map<string, ColumnName>([
  ['useruuid', 'userUuid'],
  ['uuid', 'userUuid'],
  ['email', 'email'],
  ['emailaddress', 'email'],
  ['emailadresse', 'email'],
  ['correo', 'email'],
  ['correoelectronico', 'email'],
  ['courriel', 'email'],
  ['adresseemail', 'email'],
  ['firstname', 'firstName'],
  ['givenname', 'firstName'],
  ['vorname', 'firstName'],
  ['prenom', 'firstName'],
  ['nombre', 'firstName'],
  ['nomeproprio', 'firstName'],
  ['nome', 'firstName'],
  ['lastname', 'lastName'],
  ['surname', 'lastName'],
  ['familyname', 'lastName'],
  ['nachname', 'lastName'],
  ['nomdefamille', 'lastName'],
  ['nom', 'lastName'],
  ['apellido', 'lastName'],
  ['apellidos', 'lastName'],
  ['apelido', 'lastName'],
  ['sobrenome', 'lastName'],
  ['country', 'country'],
  ['countrycode', 'country'],
  ['land', 'country'],
  ['pays', 'country'],
  ['pais', 'country'],
  ['customernumber', 'customerNumber'],
  ['customerno', 'customerNumber'],
  ['kundennummer', 'customerNumber'],
  ['kundennr', 'customerNumber'],
  ['numerodecliente', 'customerNumber'],
  ['numeroclient', 'customerNumber'],
  ['customerid', 'customerNumber'],
])

/** A line of a person has at most this many characters. */
const longestText = 5_000

/**
 * Lines are joined when a quotation mark is open at the end of one and a line below closes it, so each result is
 * one person. A mark that is never closed spoils only its own line.
 */
export async function* joinQuotedLines(
  lines: AsyncIterable<FileLine> | Iterable<FileLine>,
  { separator, count }: Columns,
): AsyncGenerator<FileLine> {
  let held: FileLine[] = []
  const cells = (text: string) => csvCells(text, separator)?.length ?? null
  for await (const line of lines) {
    const [first] = held
    const joined = [...held, line].map(({ text }) => text).join('\n')
    if (first && cells(joined) === count) {
      yield { number: first.number, text: joined }
      held = []
    } else if (cells(line.text) === null && (first || isOpen(line.text)) && held.length < mostOfOne)
      held.push(line)
    else if (first && cells(line.text) !== count && held.length < mostOfOne) held.push(line)
    else {
      yield* held
      held = []
      yield line
    }
  }
  yield* held
}

/** One person can take this many lines. */
const mostOfOne = 10

const isOpen = (text: string) => (text.split('"').length - 1) % 2 === 1

/** One line is judged without any other. */
export function judgeLine(text: string, { separator, at }: Columns): JudgedLine {
  if (text.length > longestText) return broken('The line is too long.')
  if (text.includes('\n')) return broken('A cell of this person holds a line break: write it in one line.')
  if (text.includes('\ufffd')) return broken('The line is not UTF-8.')
  const cells = csvCells(text, separator)
  if (!cells) return broken('A quotation mark is not closed in this line.')
  const given = (name: ColumnName) => cells[at.get(name) ?? -1] ?? ''
  for (const name of at.keys())
    if (spreadsheetError.test(cleanText(given(name))))
      return broken(`${fieldLabels[name]}: the spreadsheet shows an error in this cell.`)
  const number = CustomerNumberSchema.safeParse(given('customerNumber'))
  if (!number.success) return broken(`Customer number: ${number.error.issues[0]?.message}`)
  if (rounded.test(number.data ?? ''))
    return broken('Customer number: the spreadsheet rounded this number. Format the column as text.')
  if (empty.test(number.data ?? ''))
    return broken('Customer number: this stands for an empty cell. Leave the cell empty.')
  const typedUuid = cleanText(given('userUuid'))
  if (typedUuid !== '') {
    const userUuid = findUuid(typedUuid)
    if (userUuid === null) return broken('User uuid: this is not a uuid.')
    return { kind: 'existing', userUuid, customerNumber: number.data }
  }
  const person = NewPersonSchema.safeParse({
    email: given('email'),
    firstName: given('firstName'),
    lastName: given('lastName'),
    country: cleanText(given('country')).toUpperCase(),
  })
  if (person.success) return { kind: 'new', ...person.data, customerNumber: number.data }
  const [issue] = person.error.issues
  const why = wordField('en', issue?.message ?? '')
  return broken(`${ownValue(fieldLabels, String(issue?.path[0])) ?? 'Line'}: ${why}`)
}

/** Each language of a spreadsheet has its own words for these: `#REF!`, `#BEZUG!`, `#¡REF!`, `#N/A`, `#NV`. */
const spreadsheetError = /^(?:#[¡¿]?[\p{L}_/0]+[!?]|#N\/[AD]|#NV|#{2,}|Err:\d{3})$/iu

/** A spreadsheet shows a long number in this form, `1,23457E+11`, and saves it without its last digits. */
const rounded = /^[-+]?\d+(?:[.,]\d+)?E\+\d+$/i

/** Programs write these for a value that they do not have. */
const empty = /^(?:[<([]?null[>)\]]?|\\N|nan|none|undefined|n\/a)$/i

const broken = (error: string): JudgedLine => ({ kind: 'broken', error })

const fieldLabels: Readonly<Record<ColumnName, string>> = {
  userUuid: 'User uuid',
  email: 'E-mail',
  firstName: 'First name',
  lastName: 'Last name',
  country: 'Country',
  customerNumber: 'Customer number',
}
