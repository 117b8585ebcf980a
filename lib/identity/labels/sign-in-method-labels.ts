import type { SignInMethod } from '../rules/sign-in-method.ts'

export const signInMethodLabels = {
  wallet: 'Wallet',
  code: 'E-mail code',
  passkey: 'Passkey',
  sso: 'Single sign-on',
  link: 'Link',
} as const satisfies Record<SignInMethod, string>
