import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/auth/action.ts'
import { WalletAddress } from './wallet-address.ts'

export const IssueChallengeForm = z.object({
  address: WalletAddress,
  chainId: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER),
})

export interface IssuedChallenge {
  /** The exact text to sign, and to send back unchanged. */
  readonly message: string
  /** The service's host, which the wallet will name. */
  readonly host: string
  /** ISO 8601. */
  readonly expiresAt: string
}

export async function issueChallenge(
  _form: z.output<typeof IssueChallengeForm>,
  _context: ActionContext,
): Promise<IssuedChallenge> {
  throw new Error('not yet')
}
