import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyVisibility, showBody, showEvent } from './events.ts'
import { roles } from './roles.ts'

const aml = { type: 'AML', subType: 'statusUpdate', status: 'FAILED', userEmail: 'ana@demo.test' }

describe('an event', () => {
  it('of a check says to support that it exists, to compliance what it found, and to customers nothing', () => {
    expect(showEvent('support', aml)).toEqual({ ...aml, subType: null, status: null, restricted: true })
    expect(showEvent('auditor', aml)).toMatchObject({
      type: 'AML',
      status: null,
      userEmail: 'a•••@demo.test',
    })
    expect(showEvent('compliance', aml)).toEqual({ ...aml, restricted: false })
    expect(showEvent('end-user', aml)).toMatchObject({ type: null, subType: null, status: null })
  })

  it('of an unknown type is for those who may see raw bodies', () => {
    const unknown = { type: 'brandNew', subType: 'SECRET', status: 'WORSE' }
    expect(showEvent('auditor', unknown)).toMatchObject({ type: null, subType: null, restricted: true })
    expect(showEvent('support', unknown)).toMatchObject({ type: 'brandNew', subType: '•••', status: '•••' })
    expect(showEvent('compliance', unknown)).toMatchObject(unknown)
  })
})

const body = JSON.stringify({
  type: 'fiatToCrypto',
  subType: 'PENDING',
  uuid: 'u-1',
  data: {
    amountFiat: 1.1,
    senderDetails: {
      senderName: 'Ana García',
      accountDetails: { iban: 'DE89370400440532013000', pin: '1234' },
    },
    secretScore: { deep: ['bad'] },
    walletAddress: { not: 'a text' },
  },
  more: 'x',
})

describe('a body', () => {
  it('keeps its shape and its digits, with each field as the role may have it', () => {
    expect(showBody('support', body)).toBe(
      '{"type":"fiatToCrypto","subType":"PENDING","uuid":"u-1","data":{"amountFiat":1.1,"senderDetails":{"senderName":"Ana García","accountDetails":{"iban":"DE•••3000","pin":"•••"}},"secretScore":"•••","walletAddress":"•••"},"more":"•••"}',
    )
    expect(showBody('auditor', body)).toBe(
      '{"type":"fiatToCrypto","subType":"PENDING","uuid":"u-1","data":{"amountFiat":1.1,"senderDetails":{"senderName":"A••• G•••","accountDetails":{"iban":"DE•••3000"}}}}',
    )
    expect(JSON.parse(showBody('compliance', body) ?? '')).toEqual(JSON.parse(body))
  })

  it('of a check is for compliance and admins alone', () => {
    const found = JSON.stringify({
      type: 'AML',
      subType: 'statusUpdate',
      data: { status: 'FAILED', score: 9 },
    })
    expect(showBody('support', found)).toBeNull()
    expect(showBody('auditor', found)).toBeNull()
    expect(showBody('end-user', body)).not.toContain('García')
    expect(showBody('admin', found)).toContain('"status":"FAILED","score":"•••"')
    expect(roles.map((role) => bodyVisibility(role, 'AML'))).toEqual([
      'hidden',
      'hidden',
      'plain',
      'hidden',
      'reveal',
    ])
  })

  it('that is no object, or is very deep, is survived', () => {
    for (const text of ['', '[]', '"x"', '{"a":', '\u0000']) expect(showBody('admin', text)).toBeNull()
    const deep = `{"type":"KYC","data":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`
    expect(showBody('support', deep)).toBe('{"type":"KYC","data":{"a":"•••"}}')
    expect(showBody('compliance', deep)).toContain('"data"')
  })

  it('never shows an auditor a text of an unknown field, wherever it stands', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('data', 'extra'), (value, place) => {
        const secret = 'THE-SECRET'
        const text = JSON.stringify({
          type: 'KYC',
          [place]: { unheardOf: [secret, value], status: 'FULL_USER' },
        })
        expect(showBody('auditor', text)).not.toContain(secret)
      }),
    )
  })
})

it('shows nothing of a body that is no object, and of one without a type what the table knows of none', () => {
  for (const text of ['{', '[1]', '"x"', 'null']) expect(showBody('compliance', text)).toBeNull()
  expect(showBody('compliance', '{"type":5,"data":{"a":1}}')).toBe('{"type":5,"data":{"a":1}}')
  expect(showBody('auditor', '{"type":5,"data":{"a":1}}')).toBeNull()
  expect(showBody('support', '{"type":"fiatToCrypto","subType":null,"uuid":null}')).toBe(
    '{"type":"fiatToCrypto","subType":null,"uuid":null}',
  )
  expect(showBody('auditor', '{"type":"fiatToCrypto","uuid":null}')).toBe(
    '{"type":"fiatToCrypto","uuid":null}',
  )
})
