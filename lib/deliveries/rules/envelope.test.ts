import { describe, expect, it } from 'vitest'
import { amountField, parseEnvelope } from './envelope.ts'
import { textField } from './text-field.ts'

const read = (text: string) => parseEnvelope(new TextEncoder().encode(text))

describe('parseEnvelope', () => {
  it('reads the four parts and keeps everything else', () => {
    const reading = read('{"type":"KYC","subType":"x","uuid":"U","data":{"status":"FULL_USER"},"extra":1}')
    if (reading.kind === 'unreadable') throw new Error(reading.why)
    const { envelope } = reading
    expect(envelope).toMatchObject({ type: 'KYC', subType: 'x', uuid: 'U' })
    expect(textField(envelope.data, 'status')).toBe('FULL_USER')
    expect(amountField(envelope.fields, 'extra')).toBe('1')
  })

  it.each([
    ['{}'],
    ['{"type":5,"subType":null,"uuid":[],"data":"text"}'],
    ['{"type":"","data":[]}'],
    ['\ufeff{}'],
  ])('reads missing fields and fields of another type as null in %s', (text) => {
    expect(read(text)).toMatchObject({
      kind: 'envelope',
      envelope: { type: null, subType: null, uuid: null, data: null },
    })
  })

  it.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['not json', 'not-json'],
    ['{"a":1', 'not-json'],
    ['{"a":"\u0000"}', 'not-json'],
    ['null', 'not-an-object'],
    ['[]', 'not-an-object'],
    ['"text"', 'not-an-object'],
    ['5', 'not-an-object'],
    ['['.repeat(5_000) + ']'.repeat(5_000), 'not-an-object'],
  ])('says why %j is no envelope', (text, why) => {
    expect(read(text)).toEqual({ kind: 'unreadable', why })
  })

  it('says when the bytes are no UTF-8', () => {
    expect(parseEnvelope(Uint8Array.of(0x7b, 0xff, 0x7d))).toEqual({ kind: 'unreadable', why: 'not-utf8' })
  })

  it('reads data nested 5,000 deep', () => {
    const data = `${'{"a":'.repeat(5_000)}{}${'}'.repeat(5_000)}`
    expect(read(`{"type":"KYC","data":${data}}`)).toMatchObject({
      kind: 'envelope',
      envelope: { type: 'KYC' },
    })
  })

  it('reads a body of 1 MiB', () => {
    const body = `{"type":"KYC","data":{"note":"${'x'.repeat(1024 * 1024 - 31)}"}}`
    expect(read(body)).toMatchObject({ kind: 'envelope' })
  })
})

describe('fields', () => {
  it('makes text fit for a database: no NUL, no lone surrogate, no value without end', () => {
    const reading = read(`{"type":"a\\u0000b\\ud800c","subType":"${'x'.repeat(900)}"}`)
    if (reading.kind === 'unreadable') throw new Error(reading.why)
    expect(reading.envelope.type).toBe('a\ufffdb\ufffdc')
    expect(reading.envelope.subType).toBe(`${'x'.repeat(500)}…`)
  })

  it('reads amounts from numbers and from texts of digits', () => {
    const reading = read('{"data":{"a":"5","b":1.10,"c":null,"d":1e400,"f":"5,0","g":[1]}}')
    if (reading.kind === 'unreadable') throw new Error(reading.why)
    const { data } = reading.envelope
    expect(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => amountField(data, name))).toEqual([
      '5',
      '1.10',
      null,
      '1e400',
      null,
      'unreadable',
      'unreadable',
    ])
  })
})
