import { expect, it } from 'vitest'
import { Refused } from '#lib/platform/refusals.ts'
import { joinQuotedLines, judgeLine, namedSeparator, readFileLines, readHeading } from './judge-line.ts'

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
  expect(readHeading('email;a,b,c', ';').unknown).toEqual(['a,b,c'])
})

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
