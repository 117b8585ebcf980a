import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { EnvelopeSchema, eventTypes } from '../state/event-types.ts'
import { createRandom } from '../state/ids.ts'
import { scenarios } from './catalogue.ts'
import { createHistory } from './history.ts'
import type { Scenario } from './scenario.ts'

/** A valid number, rearranged and with letters as 10 to 35, leaves 1 when divided by 97 (ISO 13616). */
function isValidIban(iban: string): boolean {
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(
    /[A-Z]/g,
    (letter) => `${letter.charCodeAt(0) - 55}`,
  )
  return digits !== '' && BigInt(digits) % 97n === 1n
}

const person = {
  uuid: '7a9f1a52-6a5c-4b8e-9d1e-0c1a2b3c4d5e',
  email: 'ana@demo.test',
  first_name: 'Ana',
  last_name: 'Ruiz',
  country: 'ES',
  target_address: null,
}
const now = new Date('2026-11-20T12:00:00Z')
const build = (name: string, seed = 1) => {
  const scenario = scenarios.find((candidate) => candidate.name === name)
  if (!scenario) throw new Error(name)
  return scenario.build(person, createRandom(seed), now)
}

const textSchema = z.string().min(1)
const moneySchema = z.number().positive()
const known = (fields: z.ZodRawShape) => z.strictObject(fields).partial()

/** The map gives the type of each field of §6.1 to §6.6. Any other field in a body fails the test. */
const bodies = {
  fiatToCrypto: known({
    status: textSchema,
    transactionUuid: z.uuid(),
    direction: z.literal('fiatToCrypto'),
    amountCrypto: moneySchema,
    amountFiat: moneySchema,
    amountRefunded: moneySchema,
    walletAddress: textSchema,
    transactionHash: textSchema,
    currencyFiat: textSchema,
    currencyCrypto: textSchema,
    fees: moneySchema,
    internalBankAccountId: z.uuid(),
    chain: textSchema,
    senderDetails: z.strictObject({
      senderName: textSchema,
      senderCountry: textSchema,
      accountDetails: z.strictObject({ currency: textSchema, iban: textSchema }),
    }),
    sendingWalletAddress: textSchema,
    linkedBankAccountUuid: textSchema,
  }),
  cryptoToFiat: known({
    status: textSchema,
    transactionUuid: z.uuid(),
    direction: z.literal('cryptoToFiat'),
    amountCrypto: moneySchema,
    amountFiat: moneySchema,
    amountRefunded: moneySchema,
    transactionHash: textSchema,
    currencyFiat: textSchema,
    currencyCrypto: textSchema,
    fees: moneySchema,
    sendingAddress: textSchema,
    remoteBankAccountUuid: z.uuid(),
    chain: textSchema,
    limit: moneySchema,
    beneficiaryDetails: z.strictObject({
      receiverName: textSchema,
      accountDetails: z.strictObject({
        currency: textSchema,
        accountNumber: textSchema,
        bankCode: textSchema,
        bankName: textSchema,
      }),
    }),
  }),
  unblockBankAccount: known({
    uuid: textSchema,
    currency: textSchema,
    bank_country: textSchema,
    iban: textSchema,
    bic: textSchema,
    account_number: textSchema,
    sort_code: textSchema,
    swift_code: textSchema,
    bank_code: textSchema,
    bank_name: textSchema,
    status: z.enum(['ACTIVE', 'WAITING_CREATION', 'FAILED_CREATION', 'DISABLED']),
    error: textSchema,
  }),
  linkedBankAccountProfile: known({
    uuid: textSchema,
    status: z.enum(['ACTIVE', 'WAITING_CREATION', 'FAILED_CREATION', 'DISABLED']),
    error: textSchema,
  }),
  linkBankAccount: known({
    uuid: textSchema,
    status: z.enum(['ACTIVE', 'CHECK_COMPLETED', 'PENDING', 'FAILED', 'DISABLED']),
    error: textSchema,
  }),
  otpNotification: known({
    failureType: textSchema,
    emailAddress: z.email(),
    diagnosticCode: textSchema,
    timestamp: z.iso.datetime(),
  }),
}
const documented = new Map(Object.entries(bodies))

const envelopesOf = (scenario: Scenario, seed = 1) =>
  scenario.build(person, createRandom(seed), now).steps.map(({ envelope }) => envelope)
const everyEnvelope = scenarios.flatMap((scenario) => envelopesOf(scenario))
const ofType = (type: string) => everyEnvelope.filter((envelope) => envelope.type === type)

describe('the scenarios', () => {
  it('send every type of §2.3', () => {
    expect(new Set(everyEnvelope.map(({ type }) => type))).toEqual(new Set(eventTypes))
  })

  it.each([
    ['fiatToCrypto', 'PENDING IN_PROGRESS CRYPTO_TRANSFER_ISSUED SUCCESS ON_HOLD FAILED REFUNDED'],
    [
      'cryptoToFiat',
      'PENDING IN_PROGRESS FIAT_TRANSFER_ISSUED SUCCESS ON_HOLD FAILED LIMIT_BREACHED REFUNDED',
    ],
  ])('reach every status of %s and no other (§3.2)', (type, statuses) => {
    expect(new Set(ofType(type).map(({ subType }) => subType))).toEqual(new Set(statuses.split(' ')))
  })

  it.each([
    ['unblockBankAccount', 'ACTIVE WAITING_CREATION FAILED_CREATION DISABLED'],
    ['linkedBankAccountProfile', 'ACTIVE WAITING_CREATION FAILED_CREATION DISABLED'],
    ['linkBankAccount', 'ACTIVE CHECK_COMPLETED PENDING FAILED DISABLED'],
  ])('reach every status of %s and no other (§3.3)', (type, statuses) => {
    expect(new Set(ofType(type).map(({ data }) => data.status))).toEqual(new Set(statuses.split(' ')))
    expect(new Set(ofType(type).map(({ subType }) => subType))).toEqual(new Set(['statusUpdate']))
  })

  it.each(['fiatToCrypto', 'cryptoToFiat'])('hold %s for several reasons', (type) => {
    const held = ofType(type).filter(({ subType }) => subType === 'ON_HOLD')
    expect(new Set(held.map(({ data }) => data.status))).toEqual(new Set(['ON_HOLD_KYC', 'ON_HOLD_PROCESS']))
  })

  it.each(['ON_HOLD', 'FAILED', 'LIMIT_BREACHED'])('refund after %s, saying how much', (before) => {
    const refunds = everyEnvelope.filter(
      ({ subType }, index) => subType === 'REFUNDED' && everyEnvelope[index - 1]?.subType === before,
    )
    expect(refunds.length).toBeGreaterThan(0)
    for (const { data } of refunds) expect(data.amountRefunded).toBeGreaterThan(0)
  })

  it('bring a user to every status that KYC can end in', () => {
    expect(new Set(ofType('KYC').map(({ data }) => data.status))).toEqual(
      new Set([
        'PHONE_VERIFICATION_NEEDED',
        'KYC_NEEDED',
        'PENDING_KYC_DATA',
        'KYC_PENDING',
        'FULL_USER',
        'SOFT_KYC_FAILED',
        'HARD_KYC_FAILED',
        'SUSPENDED',
      ]),
    )
  })

  it.each(Object.entries(bodies))('show every field that §6 names for %s', (type, body) => {
    const shown = new Set(ofType(type).flatMap(({ data }) => Object.keys(data)))
    expect(shown).toEqual(new Set(Object.keys(body.shape)))
  })

  it.each(scenarios)('$name sends only what §6 names, in its types', (scenario) => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        for (const envelope of envelopesOf(scenario, seed)) {
          expect(EnvelopeSchema.parse(envelope)).toEqual(envelope)
          expect(documented.get(envelope.type)?.parse(envelope.data) ?? envelope.data).toEqual(envelope.data)
        }
      }),
      { numRuns: 30 },
    )
  })

  it.each(scenarios.filter(({ name }) => name !== 'out-of-order'))(
    '$name keeps every field once it was sent',
    (scenario) => {
      const before = new Map<string, string[]>()
      for (const { type, data } of envelopesOf(scenario)) {
        const fields = Object.keys(data).filter((field) => field !== 'error')
        expect(fields).toEqual(expect.arrayContaining(before.get(type) ?? []))
        before.set(type, fields)
      }
    },
  )

  it.each(['unblockBankAccount', 'linkedBankAccountProfile', 'linkBankAccount'])(
    'show an error of %s when it failed, and only then',
    (type) => {
      for (const { data } of ofType(type))
        expect('error' in data).toBe(String(data.status).startsWith('FAILED'))
    },
  )

  it.each(scenarios)('$name is marked as assumed if the contract does not show a body of it', (scenario) => {
    const undocumented = envelopesOf(scenario).some(({ type }) => !documented.has(type))
    expect(scenario.assumed).toBe(undocumented)
  })

  it.each(scenarios)('$name sends what it says', (scenario) => {
    const sent = envelopesOf(scenario).map(({ subType, data }) =>
      subType === 'statusUpdate' ? data.status : subType,
    )
    expect(sent).toEqual(scenario.sends)
  })

  it('have names of their own', () => {
    expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length)
  })

  it('are about a company where the contract says so, and always the same one', () => {
    const uuids = ['link-bank-account-company', 'kyb', 'entity-suspended'].flatMap((name) =>
      build(name, 7).steps.map(({ envelope }) => envelope.uuid),
    )
    expect(new Set(uuids).size).toBe(1)
    expect(uuids).not.toContain(person.uuid)
  })

  it('name a sender who is not the user, as the transaction does', () => {
    const { transactionUuid, steps } = build('sender-name-mismatch')
    const payment = steps[0]?.envelope.data
    const mismatch = steps.find(({ envelope }) => envelope.type === 'senderNameMismatch')?.envelope
    expect(mismatch?.data).toEqual({
      transactionUuid,
      expectedName: 'Ana Ruiz',
      senderName: 'Another Ruiz',
    })
    expect(payment?.senderDetails).toMatchObject({ senderName: 'Another Ruiz' })
  })

  it('omit the fields that the transfer decides until CRYPTO_TRANSFER_ISSUED', () => {
    const [pending, inProgress, issued, success] = build('fiat-to-crypto').steps.map(
      (step) => step.envelope.data,
    )
    for (const early of [pending, inProgress]) {
      for (const field of ['amountCrypto', 'transactionHash', 'chain', 'currencyCrypto']) {
        expect(early).not.toHaveProperty(field)
      }
    }
    expect(issued).toMatchObject({
      status: 'CRYPTO_TRANSFER_ISSUED',
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect(success).toMatchObject({ ...issued, status: 'PROCESS_COMPLETED' })
  })

  it('say how much was sent and what the limit is when it was breached', () => {
    const last = build('crypto-to-fiat-limit-breached').steps.at(-1)?.envelope.data
    expect(Number(last?.amountCrypto)).toBeLessThan(Number(last?.limit))
  })

  it('name the account holder and an IBAN whose check digits are right', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('ES', 'DE', 'GB', 'IT', 'PL'), (seed, country) => {
        const [step] = scenarios[0]?.build({ ...person, country }, createRandom(seed), now).steps ?? []
        const details = step?.envelope.data.senderDetails
        expect(details).toMatchObject({ senderName: 'Ana Ruiz', senderCountry: country })
        expect(isValidIban(JSON.stringify(details).match(/"iban":"(\w+)"/)?.[1] ?? '')).toBe(true)
      }),
    )
  })

  it('send every event twice, or the later before the earlier, where they say so', () => {
    const order = (name: string) => build(name).steps.map((step) => step.envelope.subType)
    expect(order('duplicates')).toEqual(
      ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS'].flatMap((status) => [status, status]),
    )
    expect(order('out-of-order')).toEqual(['IN_PROGRESS', 'PENDING', 'SUCCESS', 'CRYPTO_TRANSFER_ISSUED'])
  })
})

describe('the history', () => {
  const request = { people: [person] as const, days: 7, transactions: 500, seed: 1, now }
  const history = createHistory({ ...request, people: [person] })

  it('is the same for the same seed, and another for another', () => {
    expect(createHistory({ ...request, people: [person] })).toEqual(history)
    expect(createHistory({ ...request, people: [person], seed: 2 })).not.toEqual(history)
  })

  it('lies within its days, in order of time', () => {
    const times = history.map(({ at }) => at.getTime())
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times[0]).toBeGreaterThan(now.getTime() - 7 * 86_400_000)
    expect(times.at(-1)).toBeLessThanOrEqual(now.getTime())
  })

  it('has every event type, of two people whose transactions go through their own accounts', () => {
    const other = { ...person, uuid: '1b9f1a52-6a5c-4b8e-9d1e-0c1a2b3c4d5e', email: 'ben@demo.test' }
    const both = createHistory({ ...request, people: [person, other] })
    expect(new Set(both.map(({ envelope }) => envelope.type))).toEqual(new Set(eventTypes))
    for (const { uuid } of [person, other]) {
      const theirs = both.flatMap(({ envelope }) => (envelope.uuid === uuid ? [envelope] : []))
      const last = new Map(theirs.map(({ type, data }) => [`${type} ${data.uuid}`, data.status]))
      const used = (field: string) => new Set(theirs.flatMap(({ data }) => data[field] ?? []))
      // The event about a mismatched name came before the account's owner was known.
      const [own] = [...used('internalBankAccountId')].filter((id) => last.has(`unblockBankAccount ${id}`))
      expect(last.get(`unblockBankAccount ${own}`)).toBe('ACTIVE')
      const [linked, ...more] = used('remoteBankAccountUuid')
      expect([last.get(`linkBankAccount ${linked}`), more]).toEqual(['ACTIVE', []])
    }
  })

  it('has every third one unverified, and what waits for a verification is theirs alone', () => {
    const [ana, ben, cleo] = ['a', 'b', 'c'].map((n) => ({ ...person, uuid: `${n}${person.uuid.slice(1)}` }))
    if (!ana || !ben || !cleo) throw new Error('There are three')
    const three = createHistory({ ...request, people: [ana, ben, cleo] }).map(({ envelope }) => envelope)
    const verified = new Map(
      three.flatMap(({ type, uuid, data }) => (type === 'KYC' ? [[uuid, data.status]] : [])),
    )
    expect([ana, ben, cleo].map(({ uuid }) => verified.get(uuid))).toEqual([
      'FULL_USER',
      'FULL_USER',
      'SOFT_KYC_FAILED',
    ])
    const last = new Map(three.map((envelope) => [envelope.data.transactionUuid, envelope]))
    last.delete(undefined)
    const waiting = [...last.values()].filter(({ data }) => data.status === 'ON_HOLD_KYC')
    expect(waiting.length).toBeGreaterThan(1)
    expect(new Set(waiting.map(({ uuid }) => uuid))).toEqual(new Set([cleo.uuid]))
    expect([...last.values()].filter(({ uuid }) => uuid === cleo.uuid)).toEqual(waiting)
  })

  it('has about 85 % successes, all paths, repeats, and something still under way', () => {
    const last = new Map<unknown, string>()
    for (const { envelope } of history) last.set(envelope.data.transactionUuid, envelope.subType)
    const share = (status: string) =>
      [...last.values()].filter((value) => value === status).length / last.size
    expect(last.size).toBeGreaterThan(495)
    expect(share('SUCCESS')).toBeGreaterThan(0.8)
    expect(share('SUCCESS')).toBeLessThan(0.92)
    for (const status of ['FAILED', 'REFUNDED', 'LIMIT_BREACHED', 'ON_HOLD'])
      expect(share(status)).toBeGreaterThan(0)
    const reasons = new Map(history.map(({ envelope: { data } }) => [data.transactionUuid, data.status]))
    expect([...reasons.values()]).toEqual(expect.arrayContaining(['ON_HOLD_KYC', 'ON_HOLD_PROCESS']))
    expect(share('PENDING') + share('IN_PROGRESS') + share('CRYPTO_TRANSFER_ISSUED')).toBeGreaterThan(0)
    const bodies = history.map(({ envelope }) => JSON.stringify(envelope))
    expect(new Set(bodies).size).toBeLessThan(bodies.length)
  })
})
