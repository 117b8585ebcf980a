/** Why a wallet did not do what it was asked. None of these changed anything. */
export type WalletFailure = keyof typeof walletFailureMessages

export const walletFailureMessages = {
  declined: {
    title: 'You declined. Nothing happened.',
    next: 'Go on whenever you like, or use an e-mail code.',
  },
  blocked: {
    title: 'Your wallet may have blocked this.',
    next: 'It refused at once, without asking you: some wallets do so when a message names another site than the page. An e-mail code always works.',
  },
  busy: {
    title: 'Your wallet is waiting for you.',
    next: 'It already has a question open. Open the wallet, answer there, then try again.',
  },
  'no-account': {
    title: 'The wallet shared no address.',
    next: 'Unlock it, choose an account for this site, then try again.',
  },
  failed: {
    title: 'The wallet could not do this.',
    next: 'Open it to see what it says, then try again, or use an e-mail code.',
  },
} as const satisfies Record<string, { title: string; next: string }>

/** A person takes longer than this to read and decline, in ms. */
const minHumanMs = 1_000

/**
 * Reads what a wallet threw, by the codes of EIP-1193, EIP-1474 and WalletConnect.
 * @param tookMs from asking the wallet to its refusal
 */
export function readWalletFailure(error: unknown, tookMs: number): WalletFailure {
  const codes = errorCodesOf(error)
  // WalletConnect's own codes; the person is at another device, and no time says who refused.
  if ([5000, 5001, 5002, 5003].some((code) => codes.has(code))) return 'declined'
  if (codes.has(4001) || codes.has('ACTION_REJECTED')) return tookMs < minHumanMs ? 'blocked' : 'declined'
  if (codes.has(4100) && tookMs < minHumanMs) return 'blocked'
  if (codes.has(-32002)) return 'busy'
  return 'failed'
}

/** The codes of an error and of everything it was caused by. */
function errorCodesOf(error: unknown): Set<unknown> {
  const codes = new Set<unknown>()
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 10; depth++) {
    if ('code' in at) codes.add(at.code)
    at = 'cause' in at ? at.cause : null
  }
  return codes
}
