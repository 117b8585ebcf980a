/**
 * What made a signature, by its shape. The service checks "the address that signed" (§4.1), which only a signature of an
 * ordinary key tells: 65 bytes. Those of smart accounts (ERC-1271, ERC-6492) are longer or shorter, and a contract checks them.
 */
export function signatureKind(signature: string): 'key' | 'smart-account' | 'none' {
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(signature)) return 'none'
  return signature.length === 2 + 65 * 2 ? 'key' : 'smart-account'
}
