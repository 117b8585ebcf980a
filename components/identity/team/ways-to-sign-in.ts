import type { MemberView } from '#lib/identity/members/list-members.ts'

/** The text lists the ways in which a member can sign in. */
export function waysToSignIn({ passkeys, singleSignOn, account }: MemberView): string {
  const ways = [
    passkeys === 0 ? null : passkeys === 1 ? 'Passkey' : `${passkeys} passkeys`,
    singleSignOn ? 'single sign-on' : null,
    account ? 'account at the provider' : null,
  ].filter((way) => way !== null)
  const text = ways.join(', ')
  return text === '' ? 'None yet' : text.charAt(0).toUpperCase() + text.slice(1)
}
