import { redirect } from 'next/navigation'
import { replaceSession } from '#lib/identity/sessions/browser-session.ts'
import { findSession, findSetUpCaller, readRequestContext } from '#lib/identity/sessions/read-request.ts'
import { finishSingleSignOn } from '#lib/identity/single-sign-on/finish-single-sign-on.ts'

export const dynamic = 'force-dynamic'

/** The provider of single sign-on sends browsers back to this route, after a sign-in and after a sign-out. */
export async function GET(request: Request): Promise<never> {
  const context = await readRequestContext()
  const { search, searchParams } = new URL(request.url)
  // The browser comes back from signing out at the provider, which answers no question.
  if (!['code', 'error', 'state'].some((name) => searchParams.has(name))) redirect('/sign-in')
  const isSignedIn = (await findSession()) !== null
  const outcome = await finishSingleSignOn(search, await findSetUpCaller(), context, isSignedIn)
  if (outcome.kind === 'asked-anew') redirect(outcome.url)
  if (outcome.kind === 'tested') redirect('/settings#single-sign-on')
  const next = outcome.next === null ? '' : `next=${encodeURIComponent(outcome.next)}`
  if (outcome.kind === 'refused') {
    const again = outcome.again ? '&again=1' : ''
    redirect(`/sign-in?refused=${outcome.why}${again}${next === '' ? '' : `&${next}`}`)
  }
  await replaceSession(outcome.token, context)
  redirect(`/signed-in?${next}`)
}
