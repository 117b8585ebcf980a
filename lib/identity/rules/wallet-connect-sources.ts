/**
 * What a page that offers WalletConnect must be allowed to reach: the relay that carries sealed messages between page and
 * wallet, and the frame by which a wallet is told whose page it is.
 */
export const walletConnectSources = {
  connect: ['wss://relay.walletconnect.org', 'https://verify.walletconnect.org'],
  frame: ['https://verify.walletconnect.org'],
} as const
