import crypto from 'node:crypto'
import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { mentionsIn } from '#lib/deliveries/rules/erase-envelope.ts'
import { ErasedPeople, eraseBody } from './erased-people.ts'

const jo = '1a1b1c1d-2222-4333-8444-5e5f5a5b5c5d'
const other = '9a9b9c9d-2222-4333-8444-5e5f5a5b5c5d'
const mark = { salt: Buffer.alloc(16) }
const values = [jo, 'jo.doe@x.io']
const isTheirs = (text: string) => values.some((value) => text.toLowerCase().includes(value))

/** JSON may write any letter of a text in this way. */
const escaped = (text: string) =>
  text.replace(/[^\\]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Each envelope is about another person, and holds the text in one place. */
const envelopesWith = (text: string): string[] => [
  ...[
    `"data":"${text}"`,
    `"data":["${text}"]`,
    `"data":[1,[["x",{"y":["${text}"]}]]]`,
    `"data":{"a":"${text}"}`,
    `"data":{"${text}":1}`,
    `"data":[{"${text}":1}]`,
    `"note":"for ${text}!","data":{}`,
    `"data":{"a":"${text}","a":"y"}`,
    `"data":{"a":"x","a":"${text}","a":"y"}`,
    `"data":{"a":{"b":"${text}"},"a":"y"}`,
    `"data":{"a":{"${text}":1},"a":{"b":2}}`,
    `"data":{"a":{"b":"${text}","b":2},"a":1}`,
    `"data":{"a":[{"b":["${text}"],"b":2}]}`,
    `"data":{"a":"${text}","\\u0061":"y"}`,
    `"data":{"${text}":"x","${text}":"y"}`,
    `"data":["${text}"],"data":{"status":"DONE"}`,
    `"data":{"a":"${text}"},"data":{"status":"DONE"}`,
    `"data":{"a":"${text}"},"data":["x"],"data":null`,
  ].map((rest) => `{"type":"kyc","subType":"X","uuid":"${other}",${rest}}`),
  `{"type":"${text}","type":"kyc","subType":"X","uuid":"${other}","data":{}}`,
  `{"uuid":"${text}","type":"kyc","subType":"X","uuid":"${other}"}`,
]

const table = values
  .flatMap((value) => [value, value.toUpperCase(), escaped(value), value.replace(/[-@]/, escaped)])
  .flatMap(envelopesWith)

/** The stored text is read without its escapes, too. */
const unescaped = (text: string) =>
  text.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))

function expectNobody(body: Uint8Array | null, of: string) {
  const text = Buffer.from(body ?? '').toString()
  expect(text, of).not.toBe('')
  for (const value of values) expect(unescaped(text).toLowerCase(), of).not.toContain(value)
  const parsed = parseEnvelope(Buffer.from(text))
  expect(parsed.kind === 'envelope' && mentionsIn(parsed.envelope, isTheirs), of).toEqual([])
}

describe('eraseBody', () => {
  it('removes what an export finds, and leaves nothing of it in the stored bytes', () => {
    for (const text of table) {
      const body = Buffer.from(text)
      const parsed = parseEnvelope(body)
      expect(parsed.kind === 'envelope' && mentionsIn(parsed.envelope, isTheirs), text).not.toEqual([])
      const kept = eraseBody(body, jo, mark, isTheirs)
      expectNobody(kept, text)
      expect(kept && eraseBody(kept, jo, mark, isTheirs), text).toBe(null)
    }
  })

  it('keeps what other values of a repeated key say', () => {
    const body = Buffer.from(`{"uuid":"${other}","data":{"a":"${jo}","a":"y","b":[1.10]}}`)
    expect(Buffer.from(eraseBody(body, jo, mark, isTheirs) ?? '').toString()).toBe(
      `{"data":{"a":"y","b":[1.10]},"uuid":"${other}"}`,
    )
  })

  it('leaves a body that names somebody else as it is', () => {
    for (const text of envelopesWith(other))
      expect(eraseBody(Buffer.from(text), jo, mark, isTheirs), text).toBe(null)
  })
})

describe('ErasedPeople', () => {
  const digest = crypto.hash('sha256', jo, 'buffer')
  const load = async () => {
    const [pool, people] = [new pg.Pool(), new ErasedPeople()]
    vi.spyOn(pool, 'query').mockImplementation(async () => ({ rows: [{ user_digest: digest, ...mark }] }))
    await people.load(pool)
    return people
  }

  it('finds an erased person wherever and however a body writes their uuid', async () => {
    const people = await load()
    const spellings = [
      jo,
      jo.toUpperCase(),
      escaped(jo),
      jo.replaceAll('-', '\\u002d'),
      jo.replaceAll('-', '\\u002D'),
      jo.replace('1', '\\u0031').replace('c', '\\u0043'),
      // This text is JSON within JSON.
      jo.replaceAll('-', '\\\\u002d'),
    ]
    const about = (uuid: string) =>
      `{"type":"KYC","subType":"statusUpdate","uuid":"${uuid}","data":{"n":"Jo"}}`
    for (const text of spellings.flatMap((uuid) => [about(uuid), about(` ${uuid}`), ...envelopesWith(uuid)]))
      expectNobody(people.erase(Buffer.from(text)), text)
    const own = people.erase(Buffer.from(about(escaped(jo))))
    expect(JSON.parse(Buffer.from(own ?? '').toString())).toMatchObject({
      uuid: expect.stringMatching(/^erased-/),
      data: {},
    })
  })

  it('is not slowed down by a body of backslashes', async () => {
    const people = await load()
    const began = performance.now()
    people.erase(Buffer.from(`{"a":"${'\\'.repeat(1_000_000)}\\u00"}`))
    expect(performance.now() - began).toBeLessThan(2_000)
  })

  it('leaves other bodies as they are, also those with escapes', async () => {
    const people = await load()
    const near = [
      jo.replace('-', '\\u002e'),
      jo.replace('1a', '\\\\u0031a0'),
      other,
      escaped(other),
      'Jos\\u00e9',
    ]
    for (const text of near.flatMap(envelopesWith)) expect(people.erase(Buffer.from(text)), text).toBe(null)
  })
})
