import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/auth/action.ts'
import { EmailAddress } from './email-address.ts'
import { WalletAddress } from './wallet-address.ts'

const Name = z
  .string('Enter a name.')
  .trim()
  .min(1, 'Enter a name.')
  .max(100, 'At most 100 characters.')
  .regex(/^\P{Cc}*$/u, 'Only letters and signs that can be printed.')

export const SignUpForm = z.object({
  email: EmailAddress,
  firstName: Name,
  lastName: Name,
  country: z.string('Choose a country.').regex(/^[A-Z]{2}$/, 'Choose a country.'),
  /** Optional: without it the account can sign in by e-mail code only. */
  targetAddress: z.preprocess((text) => (text === '' ? undefined : text), WalletAddress.optional()),
})

/** What to do next is the same whether the address was new or not: sign in with a code sent to it. */
export interface SignedUp {
  readonly email: string
  /** Whether a wallet address was given, so that signing in by wallet can be offered. */
  readonly wallet: boolean
}

export async function signUp(_form: z.output<typeof SignUpForm>, _context: ActionContext): Promise<SignedUp> {
  throw new Error('not yet')
}
