import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { describe, expect, it } from 'vitest'
import { hintsAtCheck } from '#lib/access/rules/hints-at-check.ts'
import { languages } from '#lib/platform/rules/language.ts'
import { catalogues } from './messages/catalogues.ts'
import { customerWords, previewSentence, readSentence } from './sentences.ts'

/** The list has every message of a catalogue with its key. */
function messagesOf(tree: object, path: readonly string[] = []): [key: string, message: string][] {
  return Object.entries(tree).flatMap(([key, inner]): [string, string][] =>
    typeof inner === 'string' ? [[[...path, key].join('.'), inner]] : messagesOf(inner, [...path, key]),
  )
}

/** A message needs these values, such as `count` and `<email>`. */
function wants(elements: readonly MessageFormatElement[]): string[] {
  return elements.flatMap((element) => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return []
    if (element.type === TYPE.tag) return [`<${element.value}>`, ...wants(element.children)]
    if (element.type !== TYPE.plural) return [element.value]
    return [element.value, ...Object.values(element.options).flatMap(({ value }) => wants(value))]
  })
}

const english = messagesOf(catalogues.en)

describe.each(languages)('the catalogue %s', (language) => {
  const messages = messagesOf(catalogues[language])

  it('has the keys of the English one', () => {
    expect(messages.map(([key]) => key).toSorted()).toEqual(english.map(([key]) => key).toSorted())
  })

  it('has valid messages that use the same values as the English ones', () => {
    const given = new Map(english.map(([key, message]) => [key, new Set(wants(parse(message)))]))
    for (const [key, message] of messages) expect(new Set(wants(parse(message))), key).toEqual(given.get(key))
  })

  it('has every form of a plural that the language knows', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    for (const [key, message] of messages) {
      for (const element of parse(message)) {
        if (element.type !== TYPE.plural) continue
        expect(Object.keys(element.options).toSorted(), key).toEqual(forms.toSorted())
      }
    }
  })

  // The font's file lacks the hyphen U+2011, for one, which appeared as an empty box.
  it('has only characters that are in the font that the pages load', () => {
    for (const [key, message] of messages)
      expect(message, key).toMatch(/^[ -~\u00a0-\u00ff\u0152\u0153\u2013\u2018\u2019\u201c-\u201e\u2026]*$/)
  })

  it('says of what succeeded more than that it is over, which a failure is too', () => {
    const { told, verification } = catalogues[language]
    for (const message of [told.KYC.FULL_USER, verification.FULL_USER])
      expect(message).not.toMatch(/complet|conclu|termin|abgeschlossen/i)
  })

  it('names an amount of which nothing is known an amount, not a payment', () => {
    const { receipt, payout } = catalogues[language].amounts
    for (const message of [receipt.unstated, payout.unstated])
      expect(message).toMatch(/amount|betrag|importe|montant/i)
  })

  it('claims of no check that the merchant made it', () => {
    expect(catalogues[language].told.linkBankAccount.CHECK_COMPLETED).not.toMatch(
      /\b(we|wir|hemos|vincularemos|nous|verificámos|associaremos)\b/i,
    )
  })

  it('has no empty message and no empty tag', () => {
    for (const [key, message] of messages) {
      expect(message.trim(), key).toBe(message)
      expect(message, key).not.toMatch(/^$|<(\w+)><\/\1>|'/)
    }
  })

  it('has sentences that support can read aloud: none speaks of support as somebody else', () => {
    const { steps, accountStates, told, reply } = catalogues[language]
    const meanings = messagesOf({ steps, accountStates, told, reply }).filter(
      ([key]) => !key.endsWith('.label'),
    )
    expect(meanings.length).toBeGreaterThan(40)
    for (const [key, message] of meanings) expect(message, key).not.toMatch(/support|soporte|suporte/i)
  })

  it('mentions nothing that only staff can do', () => {
    for (const [key, message] of messages)
      expect(message, key).not.toMatch(/webhook|\breplay|Wiederholung|repetici[oó]n|répétition|repetiç/i)
  })

  it('never hints at a check that a customer must not know of', () => {
    for (const [key, message] of messages) expect(hintsAtCheck(message), key).toBeNull()
  })
})

it('is a translation: whole sentences differ from the English ones', () => {
  for (const language of languages.filter((one) => one !== 'en')) {
    const others = new Map(messagesOf(catalogues[language]))
    const same = english.filter(([key, message]) => message.length > 25 && others.get(key) === message)
    expect(same, language).toEqual([])
  }
})

describe('an apostrophe in a merchant’s own sentence', () => {
  const key = 'reply.verifyAt'
  const link = 'https://verify.example'
  const read = (text: string) => customerWords('fr', { [key]: text })(key, { link })

  it.each([
    ["Rendez-vous à l'adresse '{link}'.", `Rendez-vous à l'adresse '${link}'.`],
    ["Ouvrez l'{link} et suivez l'assistant.", `Ouvrez l'${link} et suivez l'assistant.`],
    ["D'{link}' à l'arrivée", `D'${link}' à l'arrivée`],
    ["L'adresse n'est pas # : {link}'", `L'adresse n'est pas # : ${link}'`],
    ["'{link}", `'${link}`],
    ['Aller à l’{link}', `Aller à l’${link}`],
  ])('is shown as it was typed: %s', (text, shown) => {
    expect(readSentence(key, text)).toEqual({ kind: 'known' })
    expect(read(text)).toBe(shown)
    expect(previewSentence('fr', key, text)).toBe(shown)
  })

  it('is shown once where an older sentence doubled it', () => {
    expect(read("L''adresse est l''{link}")).toBe(`L'adresse est l'${link}`)
  })

  it.each(["C'est '{other}'", "C'est '{link", "C'est '<b>{link}</b>'"])('hides no fault: %s', (text) => {
    expect(readSentence(key, text)).toMatchObject({ kind: 'refused' })
    expect(read(text)).toBe(customerWords('fr')(key, { link }))
  })
})
