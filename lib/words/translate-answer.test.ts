import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { signInMessages } from '#lib/identity/labels/sign-in-messages.ts'
import { languages } from '#lib/platform/rules/language.ts'
import { translateAnswer, translateRefusal } from './translate-answer.ts'

const root = path.join(import.meta.dirname, '../..')

/** Actions of customers take the texts of their answers from these files. */
const sources = [
  'lib/identity/sign-in/wallet-challenges.ts',
  'lib/identity/sign-in/sign-up.ts',
  'lib/identity/sign-in/sign-in-with-wallet.ts',
  'lib/identity/sign-in/prove-wallet.ts',
  'lib/identity/sign-in/code-limits.ts',
  'lib/identity/sign-in/sign-up-record.ts',
  'lib/people/own/get-profile.ts',
  'lib/identity/sessions/person-sessions.ts',
  'lib/platform/forms/fields.ts',
]

/** Only staff can read these: they end other people's sessions, set an endpoint's address or write a note. */
const ofStaff = [
  'There is no such session any more.',
  'Reload the page to see where this person is signed in.',
  'Give the address to post to.',
  'The address must not contain a user or a password.',
  'At most 2,000 characters.',
]

/** A wallet signs only ASCII text (EIP-4361), so it is the same in all languages. */
const signed = /^(Sign in|Use this wallet for my new account)\. This costs nothing/

const sentencesIn = (file: string) =>
  [...fs.readFileSync(path.join(root, file), 'utf8').matchAll(/'([A-Z][^'\n]* [^'\n]*\.)'/g)]
    .flatMap(([, text]) => text ?? [])
    .filter((text) => !signed.test(text) && !ofStaff.includes(text))

it.each(sources)('knows every sentence of %s in every language', (file) => {
  const sentences = sentencesIn(file)
  for (const language of languages.filter((one) => one !== 'en')) {
    for (const title of sentences)
      expect(translateRefusal(language, { title, next: title }).title).not.toBe(title)
  }
})

it('finds sentences at all', () => {
  expect(sources.flatMap(sentencesIn).length).toBeGreaterThan(20)
})

it('translates field errors and refusals, and leaves other answers unchanged', () => {
  const values = { email: 'x' }
  expect(
    translateAnswer('de', { kind: 'invalid', fields: { email: 'Enter an e-mail address.' }, values }),
  ).toEqual({ kind: 'invalid', fields: { email: 'Geben Sie eine E‑Mail-Adresse ein.' }, values })
  const { title, next } = signInMessages['strangers-stopped']
  expect(translateAnswer('fr', { kind: 'refused', title, next, values })).toMatchObject({
    title: 'Trop de codes ont été essayés aujourd’hui pour cette adresse.',
  })
  expect(translateAnswer('de', { kind: 'done', value: 'Wait 3 minutes, then try again.' })).toEqual({
    kind: 'done',
    value: 'Wait 3 minutes, then try again.',
  })
  expect(translateAnswer('en', { kind: 'refused', title, next, values })).toMatchObject({ title, next })
})

it('translates several sentences in one text, with the values in them', () => {
  expect(
    translateRefusal('de', {
      title: 'The account was not created.',
      next: 'The service was asked too often. Wait a few minutes, then try again. The service asks to wait 12 minutes.',
    }),
  ).toEqual({
    title: 'Das Konto wurde nicht angelegt.',
    next: 'Der Dienst wurde zu oft gefragt. Warten Sie ein paar Minuten und versuchen Sie es dann noch einmal. Der Dienst bittet, 12 Minuten zu warten.',
  })
  const number =
    'It is not certain whether anything was changed: look before you try again. If it stays, quote number 1a-2b.'
  expect(translateRefusal('de', { title: 'Something went wrong here.', next: number }).next).toMatch(
    /Nummer 1a-2b\.$/,
  )
})

it('leaves a text unchanged when it has an unknown sentence', () => {
  const refusal = { title: 'The moon is full.', next: 'Wait 3 minutes, then try again. Then howl.' }
  expect(translateRefusal('de', refusal)).toEqual(refusal)
})
