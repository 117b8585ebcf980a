import 'server-only'
import { cookies, headers } from 'next/headers'
import { forbidden, redirect } from 'next/navigation'
import { cache } from 'react'
import type { Caller, RequestContext } from '#lib/access/caller.ts'
import { may, type Permission } from '#lib/access/rules/roles.ts'
import { lastForwarded } from '#lib/platform/http/find-address.ts'
import { type Language, languageCookie, parseLanguage, wantedLanguage } from '#lib/platform/rules/language.ts'
import { countDenied, routeOf } from './denied-requests.ts'
import { readSession, readSetUpSession, touchSession } from './read-session.ts'
import { browserCookie, cookie, readSessionToken } from './session-cookie.ts'
import { type LastPerson, readLastPerson } from './session-state.ts'

/**
 * Only this function decides who is calling, once per request; null when nobody is signed in. Opening a page
 * counts as use; requests that an open page makes by itself do not.
 */
export const findSession: () => Promise<Caller | null> = cache(async () => {
  const [jar, given] = await Promise.all([cookies(), headers()])
  const token = await readSessionToken(jar)
  const caller = token === null ? null : await readSession(token, new Date())
  if (caller && given.get('sec-fetch-mode') === 'navigate') await touchSession(caller)
  return caller
})

/**
 * Pages and layouts get the caller, or redirect to `/sign-in` and back to `path`. A role without the permission gets 403 at
 * the same address: `forbidden.tsx` names the roles with it. `path` includes its query, such as `/transactions?step=FAILED`.
 */
export async function requirePage(permission?: Permission, path?: string): Promise<Caller> {
  const caller = await findSession()
  if (!caller) redirect(path ? `/sign-in?next=${encodeURIComponent(path)}` : '/sign-in')
  if (permission && !may(caller.role, permission)) {
    await countDenied(caller, path ? routeOf(path) : permission)
    forbidden()
  }
  return caller
}

/** The person is setting up a way to sign in by a link; null for everybody else. Pages for members refuse them. */
export const findSetUpCaller: () => Promise<Caller | null> = cache(async () => {
  const token = await readSessionToken(await cookies())
  return token === null ? null : readSetUpSession(token, new Date())
})

/** The person is or was signed in in this browser; null when there was none, or they signed out. */
export async function findLastPerson(): Promise<LastPerson | null> {
  const token = await readSessionToken(await cookies())
  return token === null ? null : readLastPerson(token, new Date())
}

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
