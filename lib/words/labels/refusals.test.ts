import { expect, it } from 'vitest'
import { accessRefusals } from '#lib/access/labels/refusals.ts'
import { auditRefusals } from '#lib/audit/labels/refusals.ts'
import { endpointsRefusals } from '#lib/endpoints/labels/refusals.ts'
import { identityRefusals } from '#lib/identity/labels/refusals.ts'
import { EndOwnSessionSchema } from '#lib/identity/sessions/person-sessions.ts'
import { RequestCodeSchema } from '#lib/identity/sign-in/request-code.ts'
import { SignUpSchema } from '#lib/identity/sign-in/sign-up.ts'
import { WalletAccountSchema } from '#lib/identity/sign-in/wallet-challenges.ts'
import { operationsRefusals } from '#lib/operations/labels/refusals.ts'
import { peopleRefusals } from '#lib/people/labels/refusals.ts'
import { platformRefusals } from '#lib/platform/labels/refusals.ts'
import { languages } from '#lib/platform/rules/language.ts'
import { searchRefusals } from '#lib/search/labels/refusals.ts'
import { serviceRefusals } from '#lib/service/labels/refusals.ts'
import { transactionsRefusals } from '#lib/transactions/labels/refusals.ts'
import { catalogues } from '../messages/catalogues.ts'
import { refusal, wordField, wordRefusal } from './refusals.ts'

const { fields, refusals, signInRefusals } = catalogues.en

it('has each code in one table', () => {
  const tables = [
    accessRefusals,
    auditRefusals,
    endpointsRefusals,
    identityRefusals,
    operationsRefusals,
    peopleRefusals,
    platformRefusals,
    searchRefusals,
    serviceRefusals,
    transactionsRefusals,
    refusals,
    signInRefusals,
  ]
  const codes = tables.flatMap((table) => Object.keys(table))
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([])
})

it('has what a customer may type wrong in every language, by a code', () => {
  const wrong = [undefined, '', 'x', 'x'.repeat(300), '0xab', `0x${'aA'.repeat(20)}`, '\u0000', -1]
  const given = [
    ...['email', 'firstName', 'lastName', 'country'].map((name) => [SignUpSchema, name] as const),
    [RequestCodeSchema, 'email'] as const,
    ...['address', 'chainId'].map((name) => [WalletAccountSchema, name] as const),
    [EndOwnSessionSchema, 'sessionId'] as const,
  ]
  const codes = given.flatMap(([schema, name]) =>
    wrong.flatMap((value) => {
      const issues = schema.safeParse({ [name]: value }).error?.issues ?? []
      return issues.filter(({ path }) => path[0] === name).map(({ message }) => message)
    }),
  )
  expect(codes.length).toBeGreaterThan(30)
  expect(codes.filter((code) => !Object.hasOwn(fields, code))).toEqual([])
  for (const language of languages.filter((one) => one !== 'en'))
    for (const code of codes) expect(wordField(language, code)).not.toBe(wordField('en', code))
})

it('words a field, and leaves English that only staff read', () => {
  expect(wordField('de', 'enter-email')).toBe('Geben Sie eine E-Mail-Adresse ein.')
  expect(wordField('de', 'Give a whole id.')).toBe('Give a whole id.')
  expect(wordField('de', 'toString')).toBe('toString')
})

it('words a refusal that customers meet in their language, with its values', () => {
  expect(wordRefusal('fr', refusal('strangers-stopped')).title).toBe(
    'Trop de codes ont été essayés aujourd’hui pour cette adresse.',
  )
  expect(wordRefusal('en', refusal('strangers-stopped'))).toEqual(signInRefusals['strangers-stopped'])
  expect(wordRefusal('de', refusal('unexpected', { number: '1a-2b' })).next).toMatch(/Nummer 1a-2b\.$/)
  const cause = { sentence: 'cause-too-many' } as const
  const remedy = { sentence: 'remedy-too-many' } as const
  const asks = { sentence: 'asks', wait: { n: 12, unit: 'minutes' } } as const
  expect(wordRefusal('de', refusal('account-not-created', { cause, remedy, asks }))).toEqual({
    title: 'Das Konto wurde nicht angelegt.',
    next: 'Der Anbieter wurde zu oft gefragt. Warten Sie ein paar Minuten und versuchen Sie es dann noch einmal. Der Anbieter bittet, 12 Minuten zu warten.',
  })
})

it('words a refusal that only staff meet in English alone', () => {
  const wait = { n: 3, unit: 'hours' } as const
  expect(wordRefusal('de', refusal('too-many-links', { wait }))).toEqual({
    title: 'Too many links were tried.',
    next: 'Wait 3 hours, then try again.',
  })
})
