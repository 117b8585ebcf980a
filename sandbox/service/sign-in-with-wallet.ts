import { recoverMessageAddress } from 'viem'
import type { Sandbox } from '../state/sandbox.ts'
import { findAccountByAddress } from './accounts.ts'
import { unauthorized } from './refusal.ts'
import { openServiceSession, type Session } from './sessions.ts'
import { checkSignInMessage } from './sign-in-message.ts'

/**
 * A wallet's signature opens a session (§4.1). ASSUMED: a wrong message is a 401 like a wrong signature (§7), and only a
 * successful sign-in uses its nonce up.
 */
export async function signInWithWallet(
  sandbox: Sandbox,
  message: string,
  signature: string,
): Promise<Session> {
  const checked = checkSignInMessage(message, {
    publicUrl: sandbox.publicUrl,
    now: sandbox.clock.now(),
    longestMinutes: sandbox.options.longestMessageMinutes,
  })
  if (checked.kind === 'refused') {
    const { line, rule } = checked
    throw unauthorized(`The message, ${line}: ${rule}`, { where: `body.message, ${line}`, rule })
  }
  const signer = await recoverSigner(message, signature)
  if (signer?.toLowerCase() !== checked.address.toLowerCase())
    throw unauthorized('The signature does not verify', {
      where: 'body.signature',
      rule: signer
        ? `must be by ${checked.address}, whom the message names, over exactly this text; ${signer} made it, or over another`
        : 'must be 65 bytes in lower-case hexadecimal digits after 0x, v 27 or 28, s in the lower half',
    })
  const account = await findAccountByAddress(sandbox.pool, signer)
  if (!account)
    throw unauthorized('The signing address is no user’s target_address', {
      where: 'body.message, line 2 (address)',
      rule: `must be the target_address of a user; ${signer} is none’s`,
    })
  await consumeNonce(sandbox, checked.nonce)
  return openServiceSession(sandbox, account.uuid)
}

/**
 * The contract promises only "the address that signed", so smart accounts are not recovered. ASSUMED: one spelling, since
 * some verifiers take no other: 65 bytes in lower case after 0x, v 27 or 28, and s in the lower half (EIP-2).
 */
async function recoverSigner(message: string, signature: string) {
  if (!/^0x[0-9a-f]{128}1[bc]$/.test(signature) || signature.slice(66, 130) > highestS) return undefined
  return recoverMessageAddress({ message, signature: `0x${signature.slice(2)}` }).catch(nobody)
}

/** The value is half the order of the curve secp256k1. */
const highestS = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0'

/** No address can have made this signature. */
const nobody = () => undefined

async function consumeNonce(sandbox: Sandbox, nonce: string) {
  const { rowCount } = await sandbox.pool.query(
    'INSERT INTO used_nonce (nonce, used_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [nonce, sandbox.clock.now()],
  )
  if (rowCount !== 1)
    throw unauthorized('Given nonce is already in use', {
      where: 'body.message (Nonce)',
      rule: 'must never have signed in before',
    })
}
