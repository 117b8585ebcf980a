import 'server-only'
import { getAddress, isAddress } from 'viem'
import { z } from 'zod'
import { PastedTextSchema } from '#lib/platform/forms/pasted-text.ts'

/** A wallet address with its EIP-55 checksum; one typed in mixed case must have the right one. */
export const WalletAddressSchema = z
  .string('This is not a wallet address.')
  .pipe(PastedTextSchema)
  .pipe(z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'A wallet address is 0x and 40 hexadecimal digits.'))
  .refine(
    (text) => !isMixedCase(text) || isAddress(text, { strict: true }),
    'A character is mistyped: the checksum of this address is wrong.',
  )
  .transform((text) => getAddress(text))

function isMixedCase(address: string): boolean {
  const digits = address.slice(2)
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
}
