import 'server-only'
import { cookies, headers } from 'next/headers'
import { cache } from 'react'
import type { RequestContext } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { lastForwarded } from '#lib/platform/http/find-address.ts'
import { type Language, languageCookie, parseLanguage, wantedLanguage } from '#lib/platform/rules/language.ts'
import { findSession } from './require-session.ts'
import { browserCookie, cookie } from './session-cookie.ts'

export async function readRequestContext(): Promise<RequestContext> {
  const [given, jar] = await Promise.all([headers(), cookies()])
  return {
    ip: lastForwarded(given.get('x-forwarded-for')),
    userAgent: given.get('user-agent')?.slice(0, 400) ?? null,
    browserId: jar.get(browserCookie().name)?.value ?? null,
  }
}

/** The page's display setting is in the browser's own cookie of this name; it must not be trusted. */
export const readChoice = async (name: string): Promise<string | undefined> =>
  (await cookies()).get(cookie(name).name)?.value

/**
 * Staff read English. Anybody else reads the language that they chose in this browser, or the one that the browser asks for.
 */
export const readLanguage: () => Promise<Language> = cache(async () => {
  const session = findSession().catch(thePageSaysThatItself)
  const [caller, chosen, given] = await Promise.all([session, readChoice(languageCookie), headers()])
  if (caller && may(caller.role, 'see-everything')) return 'en'
  return parseLanguage(chosen) ?? wantedLanguage(given.get('accept-language'))
})

/** Without a database there is no session; the page then uses the language that the browser asks for. */
const thePageSaysThatItself = () => null
