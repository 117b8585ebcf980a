import crypto from 'node:crypto'
import { vi } from 'vitest'
import { readSession } from '#lib/identity/sessions/read-session.ts'
import { beginSingleSignOn } from '#lib/identity/single-sign-on/begin-single-sign-on.ts'
import {
  finishSingleSignOn,
  type SingleSignOnOutcome,
} from '#lib/identity/single-sign-on/finish-single-sign-on.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { forgetHeldBack } from '#lib/platform/log/limited.ts'
import { freePort } from '../bin/postgres.ts'
import type { ActionContext } from '../lib/access/caller.ts'
import { newBrowser } from './callers.ts'
import { startDatabase } from './database.ts'
import {
  type Account,
  clientId,
  clientSecret,
  startIdentityProvider,
  type Variant,
} from './identity-provider.ts'

interface Visit {
  readonly form?: { readonly next?: string; readonly again?: boolean; readonly another?: boolean }
  readonly browser?: ActionContext
  readonly parameters?: Readonly<Record<string, string>>
}

/** The test gets its own database, and a provider that gives roles by the claim `groups`: `rampart-admins` or `helpdesk`. */
export async function startSingleSignOn(settings: Record<string, string> = {}) {
  const publicUrl = 'http://localhost:3000'
  const callback = `${publicUrl}/api/single-sign-on/callback`
  let provider = await startIdentityProvider(await freePort(), callback)
  const database = await startDatabase({
    PUBLIC_URL: publicUrl,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_SCOPE: 'openid profile email groups',
    OIDC_ROLE_CLAIM: 'groups',
    OIDC_ROLE_MAP: 'rampart-admins=admin, helpdesk=support',
    ...settings,
  })

  /** The visit ends with the answer that a browser brings back. `parameters` replace those in the address. */
  async function visited({ form = {}, browser = newBrowser(), parameters = {} }: Visit = {}) {
    const url = new URL((await beginSingleSignOn(form, browser)).url)
    for (const [name, value] of Object.entries(parameters))
      if (url.searchParams.has(name)) url.searchParams.set(name, value)
    return { browser, search: await provider.visit(url.href) }
  }

  /** Somebody who is to prove who they are has a session, unless it is over. */
  async function signedIn(form: Visit['form'] = {}, isOver = false) {
    const { browser, search } = await visited({ form })
    return finishSingleSignOn(search, null, browser, form.again === true && !isOver)
  }

  /** The configuration changes on the same database. */
  function set(changed: Record<string, string>) {
    for (const [name, value] of Object.entries(changed)) vi.stubEnv(name, value)
    globalThis.rampartEnv = undefined
  }

  return {
    get provider() {
      return provider
    },
    visited,
    signedIn,
    /** A browser comes with this account of the provider. */
    comes(account: Account) {
      provider.state.account = account
      return signedIn()
    },
    /** Nobody is a member any more, the next visitor is new, with an answer that nobody forges, and no line is held back. */
    async startOver() {
      forgetHeldBack()
      await pool().query('TRUNCATE member, session, sso_attempt, access_link, admin_notice')
      const account = {
        sub: crypto.randomUUID(),
        name: 'Kim',
        email: 'kim@example.com',
        groups: ['helpdesk'],
      }
      Object.assign(provider.state, { account, tamper: null, tokenAnswer: null })
    },
    set,
    /** The provider is a new one on its own port. */
    async serve(variant: Variant, changed: Record<string, string> = {}) {
      await provider.stop()
      provider = await startIdentityProvider(await freePort(), callback, variant)
      set({ OIDC_ISSUER: provider.issuer, ...changed })
    },
    async stop() {
      await provider.stop()
      await database.stop()
    },
  }
}

export type TestSingleSignOn = Awaited<ReturnType<typeof startSingleSignOn>>

/** The caller is the person whom the outcome signed in. */
export async function callerOf(outcome: SingleSignOnOutcome) {
  if (outcome.kind !== 'signed-in') throw new Error(outcome.kind === 'refused' ? outcome.why : outcome.kind)
  return readSession(outcome.token, new Date())
}
