export interface ThrowAwayKey {
  readonly key: `0x${string}`
  readonly address: string
}

const place = 'rampart.throw-away-wallet'

/** The key of this browser's throw-away wallet, or null when it has none. */
export function readThrowAwayKey(): ThrowAwayKey | null {
  const [key, address] = (storage()?.getItem(place) ?? '').split(' ')
  return isKey(key) && address ? { key, address } : null
}

export function keepThrowAwayKey({ key, address }: ThrowAwayKey): void {
  storage()?.setItem(place, `${key} ${address}`)
}

/** The next sign-in makes a new key; the account of the old one stays at the sandbox. */
export function forgetThrowAwayKey(): void {
  storage()?.removeItem(place)
}

const isKey = (text: string | undefined): text is `0x${string}` => /^0x[0-9a-f]{64}$/.test(text ?? '')

/** A browser may keep nothing at all; then each visit has a wallet of its own. */
function storage(): Storage | null {
  try {
    return window.localStorage
  } catch {
    return null
  }
}
