import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseEnvelope } from './envelope.ts'
import { eraseEnvelope, eraseMentions, mentionsIn } from './erase-envelope.ts'
import { canonicalJson } from './json.ts'
import { subjectOf } from './subject.ts'

const erasure = { pseudonymOf: (id: string) => `erased-${id.length}`, mark: 'mark' }

function envelopeOf(body: object) {
  const parsed = parseEnvelope(Buffer.from(JSON.stringify(body)))
  if (parsed.kind !== 'envelope') throw new Error(parsed.why)
  return parsed.envelope
}

const erased = (body: object) => JSON.parse(canonicalJson(eraseEnvelope(envelopeOf(body), erasure)))

it('keeps what happened to a transaction and the amounts, and no person', () => {
  const amounts = { amountFiat: 12.5, amountCrypto: 13, fees: 0.1, limit: 5, amountRefunded: 12.5 }
  const kept = {
    transactionUuid: 't-1',
    direction: 'fiatToCrypto',
    status: 'PROCESS_COMPLETED',
    chain: 'base',
  }
  const body = {
    type: 'fiatToCrypto',
    subType: 'SUCCESS',
    uuid: 'a-user',
    data: {
      ...amounts,
      ...kept,
      currencyFiat: 'EUR',
      walletAddress: '0xA',
      transactionHash: '0xB',
      internalBankAccountId: 'b',
      senderDetails: { senderName: 'Ana Lima', accountDetails: { iban: 'ES00' } },
    },
    more: 'Ana',
  }
  expect(erased(body)).toEqual({
    type: 'fiatToCrypto',
    subType: 'SUCCESS',
    uuid: 'erased-6',
    data: { ...amounts, ...kept, currencyFiat: 'EUR' },
    erased: 'mark',
  })
})

it('keeps events of one bank account together under a pseudonym', () => {
  const body = {
    type: 'unblockBankAccount',
    uuid: 'u',
    data: { uuid: 'account', iban: 'GB00', status: 'ACTIVE' },
  }
  expect(erased(body).data).toEqual({ uuid: 'erased-7', status: 'ACTIVE' })
  expect(subjectOf(envelopeOf(erased(body)), '')).toEqual({ kind: 'bank-account', id: 'erased-7' })
  expect(erased({ ...body, type: 'KYC' }).data).toEqual({ status: 'ACTIVE' })
})

it('keeps no unknown text of a body', () => {
  const secret = 'a-text-of-the-person'
  fc.assert(
    fc.property(fc.json(), fc.string(), (json, name) => {
      const data = { [name]: secret, amountFiat: secret, deep: [JSON.parse(json), { [name]: secret }] }
      const text = JSON.stringify(erased({ type: 'AML', uuid: secret, data, [name]: secret }))
      const closed = ['type', 'subType', 'status', 'transactionUuid', 'direction', 'chain', 'currency']
      if (!closed.some((each) => name.startsWith(each))) expect(text).not.toContain(secret)
    }),
  )
})

it('removes a person from an event about somebody else', () => {
  const envelope = envelopeOf({
    type: 'fiatToCrypto',
    uuid: 'another',
    data: {
      amountFiat: 1,
      duplicateOf: 'THEIRS',
      senderDetails: { senderName: 'Ana Lima', accountDetails: { iban: 'theirs' } },
    },
    linked: ['theirs'],
  })
  const isTheirs = (text: string) => text.toLowerCase() === 'theirs'
  const found = eraseMentions(envelope, isTheirs)
  expect(found && JSON.parse(canonicalJson(found))).toEqual({
    type: 'fiatToCrypto',
    uuid: 'another',
    data: {
      amountFiat: 1,
      duplicateOf: 'erased',
      senderDetails: { senderName: 'erased', accountDetails: 'erased' },
    },
    linked: 'erased',
  })
  expect(eraseMentions(envelope, () => false)).toBe(null)
})

it('works at any depth', () => {
  const deep = `${'['.repeat(20_000)}"theirs"${']'.repeat(20_000)}`
  const parsed = parseEnvelope(Buffer.from(`{"data":{"x":${deep}}}`))
  if (parsed.kind !== 'envelope') throw new Error(parsed.why)
  expect(canonicalJson(eraseMentions(parsed.envelope, (text) => text === 'theirs') ?? null)).toBe(
    '{"data":{"x":"erased"}}',
  )
})

it.each([
  ['a list', Array(130_000).fill(1).concat('theirs')],
  [
    'an object',
    { ...Object.fromEntries(Array.from({ length: 130_000 }, (_, n) => [`n${n}`, 1])), last: 'theirs' },
  ],
])('works at any length of %s', (_kind, wide) => {
  const envelope = envelopeOf({ type: 'AML', uuid: 'another', data: { wide: [wide] } })
  const isTheirs = (text: string) => text === 'theirs'
  expect(mentionsIn(envelope, isTheirs)).toMatchObject([{ text: 'theirs' }])
  const found = eraseMentions(envelope, isTheirs)
  expect(found && JSON.parse(canonicalJson(found)).data).toEqual({ wide: 'erased' })
})
