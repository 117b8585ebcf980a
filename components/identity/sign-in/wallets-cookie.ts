/** The cookie says whether a wallet was found in this browser the last time; `unknown` on a first visit. */
export type WalletsSeen = 'some' | 'none' | 'unknown'

export const walletsCookie = 'wallets'

export const parseWalletsSeen = (text: string | undefined): WalletsSeen =>
  text === 'some' || text === 'none' ? text : 'unknown'
