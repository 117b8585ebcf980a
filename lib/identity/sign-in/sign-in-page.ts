import 'server-only'
import { env } from '#lib/platform/env.ts'
import { readSettings } from '#lib/platform/settings/read-settings.ts'

/** What the sign-in page must know before anybody has signed in. */
export async function signInPage() {
  const { serviceBaseUrl, sandboxUrl, walletConnectProjectId } = env()
  return {
    /** The host that every wallet will name. */
    serviceHost: serviceBaseUrl.host,
    /** Whether sign-up is open to everybody. */
    canSignUp: (await readSettings()).publicSignUp,
    /** The mailbox with the codes and the throw-away wallet exist only with the sandbox. */
    sandboxUrl: sandboxUrl?.href ?? null,
    /** Names the merchant at WalletConnect's relay; no secret. */
    walletConnectProjectId,
  }
}
