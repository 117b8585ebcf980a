import 'server-only'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { env } from '#lib/platform/env.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'

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

/** What pages that offer single sign-on must know of it; null where there is none. */
export function singleSignOnPage(): { readonly name: string; readonly wanted: string | null } | null {
  const { singleSignOn } = env()
  if (!singleSignOn) return null
  const { name, roleClaim } = singleSignOn
  return { name, wanted: roleClaim && wordsFor(roleClaim) }
}

/** What somebody without a role has to ask for at the provider. */
function wordsFor({
  claim,
  roles,
}: NonNullable<NonNullable<ReturnType<typeof env>['singleSignOn']>['roleClaim']>) {
  const values = [...roles].map(([value, role]) => `“${value}” (${roleLabels[role]})`)
  return `Ask for one of these in “${claim}”: ${values.join(', ')}.`
}
