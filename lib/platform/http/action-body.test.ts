import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isActionBody } from './request-bodies.ts'

const texts = (body: string) => isActionBody(Buffer.from(body), 'text/plain;charset=UTF-8')

/** React itself, in Next's version, writes the bodies as browsers send them. */
const { encodeReply } = z
  .object({
    encodeReply: z.custom<(given: unknown[]) => Promise<string | FormData>>(
      (one) => typeof one === 'function',
    ),
  })
  .parse(createRequire(import.meta.url)('next/dist/compiled/react-server-dom-turbopack/client.browser.js'))

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
  ])('are %s', async (body) => expect(await texts(body)).toBe(true))

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
  ])('are not %s', async (body) => expect(await texts(body)).toBe(false))

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
      expect(await isActionBody(Buffer.from(await sent.arrayBuffer()), type), JSON.stringify(args)).toBe(true)
    }
  })

  it('are no form with a part that is no field, with a file, or with two roots', async () => {
    expect(await form(ofForm, [['1', '{}']])).toBe(false)
    expect(await form(ofForm, [['__proto__', 'x']])).toBe(false)
    expect(await form(ofForm, [['_1_file', new Blob(['x'])]])).toBe(false)
    expect(await form(ofForm, [['0', '[]']])).toBe(false)
    expect(await form('["$1:a"]', [])).toBe(false)
    expect(await isActionBody(Buffer.from('abcd'), 'multipart/form-data; boundary=x')).toBe(false)
    expect(await isActionBody(Buffer.from('abcd'), 'multipart/form-data')).toBe(false)
  })
})
