/** Whoever signs the message: a wallet of this browser, or the sandbox's throw-away key. */
export interface Signer {
  readonly kind: 'wallet' | 'throw-away'
  /** As the wallet calls itself. */
  readonly name: string
  readonly address: string
  readonly chainId: number
  /** Signs the exact text (personal-sign style, §5.2); throws what the wallet throws. */
  readonly sign: (message: string) => Promise<string>
}
