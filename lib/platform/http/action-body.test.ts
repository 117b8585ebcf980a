import { createRequire } from 'node:module'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isActionBody } from './request-bodies.ts'

const texts = (body: string) => isActionBody(Buffer.from(body), 'text/plain;charset=UTF-8')

const load = createRequire(import.meta.url)
const functionOf = <T>() => z.custom<T>((one) => typeof one === 'function')

/** React itself, in Next's version, writes the bodies as browsers send them. */
const { encodeReply } = z
  .object({ encodeReply: functionOf<(given: unknown[]) => Promise<string | FormData>>() })
  .parse(load('next/dist/compiled/react-server-dom-turbopack/client.browser.js'))

const busboy = functionOf<(options: object) => Writable>().parse(load('next/dist/compiled/busboy'))

/** The fields of a form are read as Next reads them, a file as null. It throws where Next answers 500. */
async function readByNext(body: Buffer, type: string) {
  const parser = busboy({ defParamCharset: 'utf8', headers: { 'content-type': type } })
  const fields: (readonly [name: string, text: string | null])[] = []
  parser.on('field', (name: string, text: string) => fields.push([name, text]))
  parser.on('file', (name: string, file: Readable) => {
    fields.push([name, null])
    file.resume()
  })
  parser.end(body)
  await finished(parser)
  return fields
}

/** The form is written by hand. */
async function form(root: string, fields: readonly (readonly [string, string | Blob])[]) {
  const data = new FormData()
  for (const [name, value] of fields) data.append(name, value)
  data.append('0', root)
  const sent = new Response(data)
  return isActionBody(Buffer.from(await sent.arrayBuffer()), sent.headers.get('content-type') ?? '')
}

const ofForm = '[{"kind":"idle"},"$K1"]'

describe('the arguments of an action', () => {
  it.each([
    '[]',
    '[{}]',
    '[{"text":"x","list":["a"],"at":"$D2026-11-28T13:24:42.041Z","none":"$undefined"}]',
    '[{"price":"$$5"}]',
    '[{"__proto__":{"a":1},"constructor":null}]',
  ])('are %s', (body) => expect(texts(body)).toBe(true))

  it.each([
    '',
    '{{{',
    'null',
    '1',
    '"x"',
    '{"length":1e9}',
    '[1,2,3,4,5]',
    '["$1"]',
    '["$1:__proto__:then"]',
    '[{"a":"$F1"}]',
    '["$@1"]',
    '["$K1"]',
    '["$Q1"]',
    '["$T"]',
    '["$n9"]',
    '["$Dx"]',
    `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    `[${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}]`,
  ])('are not %s', (body) => expect(texts(body)).toBe(false))

  it('are a form with its fields, whatever their names and values', async () => {
    const named = fc.tuple(
      fc.constantFrom('name', '__proto__', 'constructor', '0', '$ACTION_ID', 'a_b', 'ä"%'),
      fc.string(),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(named), async (fields) => {
        expect(
          await form(
            ofForm,
            fields.map(([name, text]) => [`_1_${name}`, text] as const),
          ),
        ).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  it('are what React makes of a state and a form, and of plain values', async () => {
    const given = new FormData()
    given.append('merchantName', '$5 = 1_x')
    given.append('$ACTION_KEY', '')
    const state = {
      kind: 'invalid',
      fields: { reason: 'At least 3.' },
      values: { reason: 'x', gone: undefined },
    }
    for (const args of [
      [{ kind: 'idle' }, given],
      [state, given],
      [null, given],
      [state, { at: new Date(), text: '$1' }],
    ]) {
      const sent = new Response(await encodeReply(args))
      const type = sent.headers.get('content-type') ?? ''
      expect(isActionBody(Buffer.from(await sent.arrayBuffer()), type), JSON.stringify(args)).toBe(true)
    }
  })

  it('are no form with a part that is no field, with a file, or with two roots', async () => {
    expect(await form(ofForm, [['1', '{}']])).toBe(false)
    expect(await form(ofForm, [['__proto__', 'x']])).toBe(false)
    expect(await form(ofForm, [['_1_file', new Blob(['x'])]])).toBe(false)
    expect(await form(ofForm, [['0', '[]']])).toBe(false)
    expect(await form('["$1:a"]', [])).toBe(false)
    expect(isActionBody(Buffer.from('abcd'), 'multipart/form-data; boundary=x')).toBe(false)
    expect(isActionBody(Buffer.from('abcd'), 'multipart/form-data')).toBe(false)
  })

  const field = 'Content-Disposition: form-data; name="_1_x"'
  const named = 'Content-Disposition: form-data; name="0"'
  const part = (value: string, ...head: string[]) => `--b\r\n${head.join('\r\n')}\r\n\r\n${value}\r\n`
  const root = part('[{}]', named)
  const end = '--b--\r\n'
  const evil = '["$1:__proto__:then"]'
  const ofB = 'multipart/form-data; boundary=b'

  it.each([
    [`${part('x', field)}${root}${end}`, ofB],
    [`${root}${part('x', field)}--b--`, 'multipart/form-data;boundary=b'],
    [`${part('\r\n--', field)}${part('x--b', field)}${root}${end}`, ofB],
    [`${part('', field.replace('x', '%22 äß;='))}${root}${end}`, ofB],
  ])('are the form %j', (body, type) => expect(isActionBody(Buffer.from(body), type)).toBe(true))

  it.each([
    ['two heads', `${part(evil, named, field)}${root}${end}`],
    ['two heads, the other way', `${part(evil, field, named)}${root}${end}`],
    ['two names', `${part(evil, 'Content-Disposition: form-data; name="0"; name="_1_x"')}${root}${end}`],
    ['another name', `${part(evil, `${field}; name*=utf-8''0`)}${root}${end}`],
    ['only that name', `${part(evil, "Content-Disposition: form-data; name*=utf-8''0")}${root}${end}`],
    ['no name', `${part(evil, 'Content-Disposition: form-data')}${root}${end}`],
    ['no head', `--b\r\n\r\nx\r\n${root}${end}`],
    ['a name without quotes', `${part('[{}]', 'Content-Disposition: form-data; name=0')}${end}`],
    ['an escape in a name', `${part('x', 'Content-Disposition: form-data; name="_1_\\"0"')}${root}${end}`],
    ['a tab in a name', `${part('x', field.replace('x', '\t'))}${root}${end}`],
    ['a zero in a name', `${part('x', field.replace('x', '\0'))}${root}${end}`],
    ['a name of 16 KB', `${part('x', field.replace('x', 'x'.repeat(16_384)))}${root}${end}`],
    ['an encoding', `${part('W3t9XQ==', named, 'Content-Transfer-Encoding: base64')}${end}`],
    ['a charset', `${part('[{}]', named, 'Content-Type: text/plain; charset=utf-16le')}${end}`],
    ['a type', `${part('[{}]', named, 'Content-Type: text/plain')}${end}`],
    ['bytes', `${part('x', field, 'Content-Type: application/octet-stream')}${root}${end}`],
    ['a file', `${part('x', `${field}; filename="x"`)}${root}${end}`],
    ['a folded line', `${part('x', 'Content-Disposition: form-data;\r\n name="_1_x"')}${root}${end}`],
    ['another form', `${part('x', 'Content-Type: multipart/mixed; boundary=c')}${root}${end}`],
    ['another disposition', `${part('x', 'Content-Disposition: attachment; name="_1_x"')}${root}${end}`],
    ['a mark before the arguments', `${part('\ufeff[{}]', named)}${end}`],
    ['text before', `x\r\n${root}${end}`],
    ['text after', `${root}${end}x`],
    ['a form after', `${root}${end}${part('x', field)}${end}`],
    ['text at a boundary', `${part('x', field)}--bx\r\n${root}${end}`],
    ['a space at a boundary', `${root.replace('--b', '--b ')}${end}`],
    ['no end', root],
    ['half an end', `${root}--b-`],
    ['line feeds', `${root}${end}`.replaceAll('\r', '')],
    ['carriage returns', `${root}${end}`.replaceAll('\n', '')],
    ['nothing', ''],
    ['no parts', end],
  ])('are no form with %s', (_, body) => expect(isActionBody(Buffer.from(body), ofB)).toBe(false))

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=c',
    'multipart/form-data; boundary="b"',
    'multipart/form-data; boundary=c; boundary=b',
    'multipart/form-data; boundary=b; charset=utf-16le',
    'multipart/form-data; charset=utf-8; boundary=b',
    "multipart/form-data; boundary*=utf-8''b",
    'multipart/form-data, multipart/form-data; boundary=b',
    'multipart/form-datax; boundary=b',
    'multipart/mixed; boundary=b',
    'Multipart/Form-Data; boundary=b',
    'MULTIPART/FORM-DATA; BOUNDARY=b',
    'multipart/form-data; Boundary=b',
  ])('are no form of the type %s', (type) => {
    expect(isActionBody(Buffer.from(`${root}${end}`), type)).toBe(false)
    expect(isActionBody(Buffer.from('[{}]'), type)).toBe(false)
  })

  it('are no text with a mark before it', () => expect(texts('\ufeff[{}]')).toBe(false))

  it('are what Next reads, however a form is written', async () => {
    const lines = [
      named,
      field,
      named.toLowerCase(),
      `${field}; filename="x"`,
      `${named}; name="_1_x"`,
      `${field}; name*=utf-8''0`,
      'Content-Disposition: form-data; name="_1_\\"',
      'Content-Type: application/octet-stream',
      'Content-Type: text/plain; charset=utf-16le',
      'Content-Transfer-Encoding: base64',
      'X: y',
      ' folded',
    ]
    const values = [
      '[{}]',
      '[null,"$K1"]',
      evil,
      '["$F1"]',
      '[1,2,3,4,5]',
      '\ufeff[]',
      'x',
      '',
      '--b',
      '\r\n--b',
    ]
    const usual = fc.constantFrom(part('[{}]', named), part('[null,"$K1"]', named), part('x', field))
    const odd = fc
      .tuple(fc.constantFrom(...values), fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 3 }))
      .map(([value, head]) => part(value, ...head))
    const pieces = fc.oneof(
      { weight: 6, arbitrary: usual },
      { weight: 4, arbitrary: odd },
      { weight: 1, arbitrary: fc.constantFrom(end, '\r\n', '\n', '--b\r\n', '--b', 'x') },
    )
    const ends = fc.constantFrom(end, end, end, '--b--', '--b--x', `${end}${end}`, '')
    const types = fc.constantFrom(
      ofB,
      ofB,
      ofB,
      'Multipart/form-data; boundary=b',
      'multipart/form-data; boundary="b"',
    )
    let taken = 0
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 4 }), ends, types, async (some, last, type) => {
        const body = Buffer.from(some.join('') + last)
        if (!isActionBody(body, type)) return
        taken += 1
        const read = await readByNext(body, type)
        expect(read.filter(([name]) => name === '0')).toHaveLength(1)
        // A line break between two parts belongs to the text before, where JSON allows it.
        for (const [name, text] of read)
          if (name === '0') expect(['[{}]', '[null,"$K1"]']).toContain(text?.trimEnd())
          else expect([name, text]).toEqual(['_1_x', expect.any(String)])
      }),
      { numRuns: 2_000 },
    )
    expect(taken).toBeGreaterThan(50)
  })
})
