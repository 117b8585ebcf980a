import { expect, it } from 'vitest'
import { signatureKind } from './signature-kind.ts'

/** Ends every signature of an account that is not deployed yet (ERC-6492). */
const suffix = '6492'.repeat(16)

it.each([
  ['65 bytes', `0x${'ab'.repeat(65)}`, 'key'],
  ['an ERC-6492 signature', `0x${'00'.repeat(320)}${suffix}`, 'smart-account'],
  ['the bytes of two owners', `0x${'ab'.repeat(130)}`, 'smart-account'],
  ['64 bytes', `0x${'ab'.repeat(64)}`, 'smart-account'],
  ['nothing', '0x', 'none'],
  ['half a byte', '0x123', 'none'],
  ['no hexadecimal digits', 'signature', 'none'],
])('%s', (_what, signature, kind) => expect(signatureKind(signature)).toBe(kind))
