import 'server-only'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { env } from '#lib/platform/env.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'

/** The sign-in page needs this before anybody has signed in. */
export async function signInPage() {
  const { serviceBaseUrl, sandboxUrl, walletConnectProjectId } = env()
  return {
    /** Every wallet will name this host. */
    serviceHost: serviceBaseUrl.host,
    /** Sign-up is open to everybody when true. */
    canSignUp: (await readSettings()).publicSignUp,
    /** The mailbox with the codes and the throw-away wallet exist only with the sandbox. */
    sandboxUrl: sandboxUrl?.href ?? null,
    /** The id names the merchant at WalletConnect's relay; it is no secret. */
    walletConnectProjectId,
  }
}

/** Pages that offer single sign-on need this; null without it. */
export function singleSignOnPage(): { readonly name: string; readonly wanted: string | null } | null {
  const { singleSignOn } = env()
  if (!singleSignOn) return null
  const { name, roleClaim } = singleSignOn
  return { name, wanted: roleClaim && wordsFor(roleClaim) }
}

/** A person without a role has to ask for this at the provider. */
function wordsFor({
  claim,
  roles,
}: NonNullable<NonNullable<ReturnType<typeof env>['singleSignOn']>['roleClaim']>) {
  const values = [...roles].map(([value, role]) => `“${value}” (${roleLabels[role]})`)
  return `Ask for one of these in “${claim}”: ${values.join(', ')}.`
}
