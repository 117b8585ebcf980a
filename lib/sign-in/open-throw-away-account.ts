import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/auth/action.ts'
import { WalletAddress } from './wallet-address.ts'

export const ThrowAwayAccountForm = z.object({ address: WalletAddress })

/** Makes a user for a wallet that the browser made itself, if it has none yet. Only with the sandbox. */
export async function openThrowAwayAccount(
  _form: z.output<typeof ThrowAwayAccountForm>,
  _context: ActionContext,
): Promise<{ readonly address: string; readonly name: string }> {
  throw new Error('not yet')
}
