import 'server-only'
import { headers } from 'next/headers'
import { cache } from 'react'
import { may } from '#lib/access/rules/roles.ts'
import { type Language, languageCookie, parseLanguage, wantedLanguage } from '#lib/platform/rules/language.ts'
import { readChoice } from './read-choice.ts'
import { findSession } from './require-session.ts'

/**
 * The language that whoever asks is spoken to: staff in English; anybody else in the language they chose in this browser, or
 * in the one that it asks for.
 */
export const readLanguage: () => Promise<Language> = cache(async () => {
  const session = findSession().catch(thePageSaysThatItself)
  const [caller, chosen, given] = await Promise.all([session, readChoice(languageCookie), headers()])
  if (caller && may(caller.role, 'see-everything')) return 'en'
  return parseLanguage(chosen) ?? wantedLanguage(given.get('accept-language'))
})

/** Without a database there is no session; the page then speaks the language that the browser asks for. */
const thePageSaysThatItself = () => null
