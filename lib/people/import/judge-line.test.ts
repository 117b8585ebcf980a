import { expect, it } from 'vitest'
import { Refused } from '#lib/platform/refusals.ts'
import {
  joinQuotedLines,
  judgeLine,
  namedSeparator,
  nextHeading,
  readFileLines,
  readHeading,
} from './judge-line.ts'

const linesOf = (texts: readonly string[]) => texts.map((text, index) => ({ number: index + 2, text }))

async function judged(heading: string, texts: readonly string[]) {
  const columns = readHeading(heading)
  const lines = await Array.fromAsync(joinQuotedLines(linesOf(texts), columns))
  return lines.map(({ number, text }) => [number, judgeLine(text, columns).kind])
}

const heading = 'email,first_name,last_name,country'
const ana = 'ana@demo.test,Ana,Lima,PT'

it.each([
  'E-Mail,Vorname,Nachname,Land',
  'E-Mail-Adresse;Vorname;Nachname;Land',
  'correo electrónico|nombre|apellidos|país',
  'courriel\tprénom\tnom de famille\tpays',
  'e-mail,nome próprio,apelido,país',
  'Email Address,Given name,Family name,Country code',
  'Customer no.,User uuid',
  'User-UUID;Kunden-Nr.',
  '"User\nUUID",E-mail',
])('the headings %s are known', (given) => {
  expect(readHeading(given).unknown).toEqual([])
})

it.each([
  ['sep=;', ';'],
  ['\ufeffsep=,', ','],
  ['"sep=|"', '|'],
  ['SEP=\t', '\t'],
  ['sep=x', null],
  [heading, null],
])('the first line %j names the separator %j', (line, separator) => {
  expect(namedSeparator(line)).toBe(separator)
})

it('a named separator counts, even when the heading holds more of another one', () => {
  expect(readHeading('user_uuid;a,b,c', ';').unknown).toEqual(['a,b,c'])
})

it.each([
  ['id,e-mail', 'first_name, last_name, country', 'id'],
  ['email,first_name,Family,Wohnsitz', 'last_name, country', 'Family, Wohnsitz'],
  ['email,first_name,last_name,"Land of\nbirth"', 'country', 'Land of birth'],
  ['email,first_name,last_name', 'country', 'none'],
  [`email,${'abcdefgh'.split('').join(',')}`, 'first_name, last_name, country', 'a, b, c, d, e'],
])('the headings %j lack %s, and %s of them are unknown', (given, missing, unknown) => {
  expect(() => readHeading(given)).toThrow(
    expect.objectContaining({ code: 'import-columns-missing', values: { missing, unknown } }),
  )
})

it('a file with ids needs no columns of new people', () => {
  expect(readHeading('user_uuid,email').at.size).toBe(2)
})

it.each([
  [['"User', 'ID",email', 'x'], '"User\nID",email', ['x']],
  [['email', 'x'], 'email', ['x']],
  [['"email', 'x'], '"email\nx', []],
])('the heading of the lines %j is %j', async (texts, text, rest) => {
  const lines = readFileLines(inPieces(Buffer.from(texts.join('\n')), 3))
  expect(await nextHeading(lines)).toBe(text)
  expect((await Array.fromAsync(lines)).map((line) => line.text)).toEqual(rest)
})

it.each(['email,prénom,nom,pays', 'Straße;email'])('the heading %s in Windows-1252 is not UTF-8', (text) => {
  const heading = new TextDecoder().decode(Buffer.from(text, 'latin1'))
  expect(() => readHeading(heading)).toThrow('The first line is not UTF-8.')
})

it.each([
  ['="00123"', '00123'],
  ['"=""00123"""', '00123'],
  ['\'="00123"', '="00123"'],
])('the customer number %s is stored as %s', (cell, customerNumber) => {
  const columns = readHeading(`${heading},customer_number`)
  expect(judgeLine(`${ana},${cell}`, columns)).toMatchObject({ kind: 'new', customerNumber })
})

const numbered = `${heading},customer_number`.replaceAll(',', ';')
const withNumber = (cell: string) => judgeLine(`ana@demo.test;Ana;Lima;PT;${cell}`, readHeading(numbered))

it.each(['1,23457E+11', '1.23457E+11', '1E+12', '9,9e+15', '"1,2E+017"', '-1,5E+13', '１．５Ｅ＋１３'])(
  'the customer number %s, which a spreadsheet rounded, is broken',
  (cell) => {
    expect(withNumber(cell)).toEqual({
      kind: 'broken',
      error: 'Customer number: the spreadsheet rounded this number. Format the column as text.',
    })
  },
)

it.each([
  '#N/A',
  '#REF!',
  '#¿NOMBRE?',
  '#¡DIV/0!',
  '#NV',
  '#ÜBERLAUF!',
  '#N/D',
  '#NÚM!',
  '#nom?',
  '######',
  'Err:502',
])('the error %s of a spreadsheet makes a line broken, in any cell', (cell) => {
  const error = 'the spreadsheet shows an error in this cell.'
  expect(withNumber(cell)).toEqual({ kind: 'broken', error: `Customer number: ${error}` })
  expect(judgeLine(`ana@demo.test,${cell},Lima,PT`, readHeading(heading))).toEqual({
    kind: 'broken',
    error: `First name: ${error}`,
  })
})

it.each(['NULL', 'null', '(null)', '<NULL>', '\\N', 'NaN', 'undefined', 'None', 'N/A', 'n/a'])(
  'the customer number %s, by which a program says that there is none, is broken',
  (cell) => {
    expect(withNumber(cell)).toEqual({
      kind: 'broken',
      error: 'Customer number: this stands for an empty cell. Leave the cell empty.',
    })
  },
)

it.each(['12E7', 'E+11', '1E+11A', '#4711', '#A', 'N', 'NULL-1', 'KD 1.5', '1.5', '#12!', '=1'])(
  'the customer number %s is taken',
  (cell) => {
    expect(withNumber(cell)).toMatchObject({ kind: 'new', customerNumber: cell })
  },
)

it('a surname may be Null', () => {
  expect(judgeLine('ana@demo.test,Ana,Null,PT', readHeading(heading))).toMatchObject({ lastName: 'Null' })
})

it.each(['mailto:ana@demo.test', 'Ana Lima <ana@demo.test>', 'ana@demo.test;'])(
  'the address in %j is taken',
  (cell) => {
    expect(judgeLine(`${cell},Ana,Lima,PT`, readHeading(heading))).toMatchObject({ email: 'ana@demo.test' })
  },
)

it('a cell with line breaks is one broken line, and spoils no other', async () => {
  expect(await judged(heading, ['bo@demo.test,"Bo', 'and', 'more",Li,PT', ana])).toEqual([
    [2, 'broken'],
    [5, 'new'],
  ])
})

it('a quotation mark that is never closed spoils only its own line', async () => {
  expect(await judged(heading, ['bo@demo.test,"Bo,Li,PT', ana, ana])).toEqual([
    [2, 'broken'],
    [3, 'new'],
    [4, 'new'],
  ])
  expect(await judged(heading, [ana, 'bo@demo.test,"Bo,Li,PT'])).toEqual([
    [2, 'new'],
    [3, 'broken'],
  ])
})

/** The upload comes in chunks and counts how many were read. */
function uploadOf(text: string, times: number, chunk = 64 * 1024) {
  const upload = { read: 0 }
  async function* chunks() {
    const bytes = Buffer.from(text.repeat(Math.ceil(chunk / text.length)).slice(0, chunk))
    for (let n = 0; n < times; n++) {
      upload.read += 1
      yield bytes
    }
  }
  return { upload, chunks: chunks() }
}

it.each(['a', ',', '"', 'ä', ' '])('a file of 31 MB of %j is refused before it is read', async (text) => {
  const { upload, chunks } = uploadOf(text, 496)
  await expect(Array.fromAsync(readFileLines(chunks))).rejects.toThrow(Refused)
  expect(upload.read).toBeLessThan(5)
})

it('lines are read whole across chunks, with any line end', async () => {
  const { chunks } = uploadOf(`${'x'.repeat(60_000)}\r\n`, 5)
  const lines = await Array.fromAsync(readFileLines(chunks))
  expect(lines.map(({ text }) => text.length)).toEqual([60_000, 65_534, 65_534, 65_534, 65_534, 5_534])
})

it('lines of separators alone are left out, also before the heading', async () => {
  async function* chunks() {
    yield Buffer.from(`\ufeff;;;\r\n, ,,\n${heading}\n,,,\n\t\t\n${ana}\n;,|\n,"",\n`)
  }
  const lines = await Array.fromAsync(readFileLines(chunks()))
  expect(lines.map(({ number, text }) => [number, text])).toEqual([
    [3, heading],
    [6, ana],
    [8, ',"",'],
  ])
})

const inPieces = async function* (bytes: Uint8Array, size: number) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}
const text = 'email;first_name\r\nzoé@demo.test;"Zoé"\r\n'
const little = Buffer.from(text, 'utf16le')
const big = Buffer.from(little).swap16()

it.each([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with its mark', Buffer.from(`\ufeff${text}`)],
  ['UTF-16 with its mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16 without', little],
  ['UTF-16 the other way round, with its mark', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['UTF-16 the other way round, without', big],
])('a file in %s is read, in pieces of any size', async (_encoding, bytes) => {
  for (const size of [1, 2, 3, 1_000]) {
    const lines = await Array.fromAsync(readFileLines(inPieces(bytes, size)))
    expect(lines.map((line) => line.text)).toEqual(['email;first_name', 'zoé@demo.test;"Zoé"'])
  }
})
