import 'server-only'
import { env } from '#lib/env.ts'

/** What the sign-in page must know before anybody has signed in. */
export function signInPage() {
  const { serviceBaseUrl, sandboxUrl } = env()
  return {
    /** The host that every wallet will name. */
    serviceHost: serviceBaseUrl.host,
    /** Whether sign-up is open to everybody. */
    canSignUp: sandboxUrl !== null,
    /** The mailbox with the codes and the throw-away wallet exist only with the sandbox. */
    sandboxUrl: sandboxUrl?.href ?? null,
  }
}
