/** A wallet for phones, with the links that its own documentation gives. */
export interface WalletApp {
  readonly name: string
  /** Opens an address in the browser inside the app; null where none is documented. */
  readonly openPage: ((page: string) => string) | null
  /** Hands a WalletConnect connection to the app. */
  readonly pair: (uri: string) => string
}

/** Links to a web address of the wallet's maker, which says what to do where the app is not installed. */
export const walletApps: readonly WalletApp[] = [
  {
    name: 'MetaMask',
    openPage: (page) => `https://link.metamask.io/dapp/${page.replace(/^https?:\/\//, '')}`,
    pair: (uri) => `https://link.metamask.io/wc?uri=${encodeURIComponent(uri)}`,
  },
  {
    name: 'Coinbase Wallet',
    openPage: (page) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page)}`,
    pair: (uri) => `https://go.cb-w.com/wc?uri=${encodeURIComponent(uri)}`,
  },
  {
    name: 'Trust Wallet',
    // 60 is Ethereum (SLIP-44).
    openPage: (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page)}`,
    pair: (uri) => `https://link.trustwallet.com/wc?uri=${encodeURIComponent(uri)}`,
  },
  {
    name: 'Rainbow',
    openPage: null,
    pair: (uri) => `https://rnbwapp.com/wc?uri=${encodeURIComponent(uri)}`,
  },
]
