import path from 'node:path'
import { type APIRequestContext, expect } from '@playwright/test'
import { rampartUrl } from './addresses.ts'
import { callAction } from './call-action.ts'
import { dataDirVariable } from './database.ts'
import { newestCode } from './sandbox.ts'

/**
 * A demo person's sign-in is stored here for the tests that only look at pages, beside the installation to which it belongs.
 */
export const stateOf = (email: string) =>
  path.join(process.env[dataDirVariable] ?? '', 'signed-in', `${email}.json`)

/** Somebody signs in with an e-mail code by the same requests as the page, for tests that are not about signing in. */
export async function signInByRequests(request: APIRequestContext, email: string) {
  const since = new Date()
  // The page gives the browser the cookie in which the code may be typed.
  await request.get(`${rampartUrl}/sign-in`)
  await callAction(request, 'requestCodeAction', { email }, `${rampartUrl}/sign-in`)
  const code = (await newestCode(email, since)) ?? ''
  const { csrfToken } = await (await request.get(`${rampartUrl}/api/auth/csrf`)).json()
  const form = { email, code, csrfToken, callbackUrl: '/', json: 'true' }
  const answer = await request.post(`${rampartUrl}/api/auth/callback/code`, {
    form,
    headers: { origin: rampartUrl },
  })
  expect(await answer.text()).toBe(JSON.stringify({ url: rampartUrl }))
}
