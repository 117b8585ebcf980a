import { expect, it } from 'vitest'
import { joinQuotedLines, judgeLine, namedSeparator, readHeading } from './judge-line.ts'

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
