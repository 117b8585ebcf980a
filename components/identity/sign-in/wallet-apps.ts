/** A wallet for phones, with the links that its own documentation gives. */
export interface WalletApp {
  readonly name: string
  /** Opens an address in the browser inside the app; null where none is documented. */
  readonly openPage: ((page: string) => string) | null
  /** Takes WalletConnect's links; null where none is documented. */
  readonly connectAt: string | null
}

/** All are web addresses of the wallets' makers, which say what to do where the app is not installed. */
export const walletApps: readonly WalletApp[] = [
  {
    name: 'MetaMask',
    openPage: (page) => `https://link.metamask.io/dapp/${page.replace(/^https?:\/\//, '')}`,
    connectAt: 'https://metamask.app.link',
  },
  {
    name: 'Coinbase Wallet',
    openPage: (page) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page)}`,
    connectAt: null,
  },
  {
    name: 'Trust Wallet',
    // 60 is Ethereum (SLIP-44).
    openPage: (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page)}`,
    connectAt: 'https://link.trustwallet.com',
  },
  { name: 'Rainbow', openPage: null, connectAt: 'https://rnbwapp.com' },
]

/** Hands a WalletConnect connection to an app. */
export const pairingLink = (connectAt: string, uri: string) =>
  `${connectAt}/wc?uri=${encodeURIComponent(uri)}`
