/** `none`: no bytes that a key or a contract could have made. */
export type ReadSignature =
  | { readonly kind: 'key'; readonly signature: `0x${string}` }
  | { readonly kind: 'smart-account' | 'none' }

/**
 * Reads what a wallet gave, by its shape. The service checks "the address that signed" (§4.1), which only the signature of an
 * ordinary key tells; those of smart accounts (ERC-1271, ERC-6492) are longer, and a contract checks them.
 * @returns a key's signature in the one spelling that every verifier takes: 65 bytes, lower case, low s, v 27 or 28
 */
export function readSignature(text: string): ReadSignature {
  const hex = text.trim().toLowerCase().replace(/^0x/, '')
  if (!/^(?:[0-9a-f]{2})*$/.test(hex) || hex.length < 128) return { kind: 'none' }
  if (hex.length > 130) return { kind: 'smart-account' }
  const r = hex.slice(0, 64)
  const s = BigInt(`0x${hex.slice(64, 128)}`)
  if (hex.length === 128) return spell(r, s & (topBit - 1n), s >= topBit)
  const v = Number.parseInt(hex.slice(128), 16)
  const odd = isOdd(v)
  return odd === null ? { kind: 'none' } : spell(r, s, odd)
}

/** Reads v: 0 or 1 of hardware wallets, 27 or 28, or one that names a chain (EIP-155). */
function isOdd(v: number): boolean | null {
  if (v <= 1) return v === 1
  if (v === 27 || v === 28) return v === 28
  return v >= 35 ? (v - 35) % 2 === 1 : null
}

/** Each signature has a twin with the other s and the other v; strict verifiers take the one with the lower s (EIP-2). */
function spell(r: string, s: bigint, odd: boolean): ReadSignature {
  const isHigh = s > order / 2n && s < order
  const low = (isHigh ? order - s : s).toString(16).padStart(64, '0')
  return { kind: 'key', signature: `0x${r}${low}${odd === isHigh ? '1b' : '1c'}` }
}

/** EIP-2098 keeps v here. */
const topBit = 1n << 255n

/** Of the curve secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
