import 'server-only'
import { cookies, headers } from 'next/headers'
import { cache } from 'react'
import type { RequestContext } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { lastForwarded } from '#lib/platform/http/find-address.ts'
import { type Language, languageCookie, parseLanguage, wantedLanguage } from '#lib/platform/rules/language.ts'
import { findSession } from './require-session.ts'
import { browserCookie, cookie } from './session-cookie.ts'

/** Where the request under way comes from. */
export async function readRequestContext(): Promise<RequestContext> {
  const [given, jar] = await Promise.all([headers(), cookies()])
  return {
    ip: lastForwarded(given.get('x-forwarded-for')),
    userAgent: given.get('user-agent')?.slice(0, 400) ?? null,
    browserId: jar.get(browserCookie().name)?.value ?? null,
  }
}

/** What a page kept of how it looks to this reader, in the browser's own cookie of this name; not to be trusted. */
export const readChoice = async (name: string): Promise<string | undefined> =>
  (await cookies()).get(cookie(name).name)?.value

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
