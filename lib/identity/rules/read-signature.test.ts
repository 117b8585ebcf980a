import { describe, expect, it } from 'vitest'
import { readSignature } from './wallets.ts'

/** The suffix ends every signature of an account that is not deployed yet (ERC-6492). */
const suffix = '6492'.repeat(16)

const [r, s] = ['68a020a209d3d56c46f38cc50a33f704f4a9a10a59377f8dd762ac66910e9b90', '7e'.repeat(32)]
/** The signature is that of the same point of the curve with the other `s`: the order of the curve less `s`. */
const highS = (
  0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n - BigInt(`0x${s}`)
).toString(16)
/** The recovery bit is the first bit of s (EIP-2098). */
const oddS = `fe${s.slice(2)}`

describe('the signature of an ordinary key', () => {
  it.each([
    ['as the service wants it', `0x${r}${s}1b`, '1b'],
    ['with v = 28', `0x${r}${s}1c`, '1c'],
    ['with v = 0', `0x${r}${s}00`, '1b'],
    ['with v = 1', `0x${r}${s}01`, '1c'],
    ['with a v that names chain 1', `0x${r}${s}25`, '1b'],
    ['with a v that names chain 1, and is even', `0x${r}${s}26`, '1c'],
    ['without 0x', `${r}${s}1c`, '1c'],
    ['in upper case', `0x${r}${s}1c`.toUpperCase(), '1c'],
    ['in upper case without 0X', `${r}${s}1c`.toUpperCase(), '1c'],
    ['with a blank and the end of a line', ` 0x${r}${s}1c\n`, '1c'],
    ['in 64 bytes (EIP-2098)', `0x${r}${s}`, '1b'],
    ['in 64 bytes (EIP-2098), odd', `0x${r}${oddS}`, '1c'],
    ['in 64 bytes, upper case and without 0x', `${r}${oddS}`.toUpperCase(), '1c'],
    ['with s in the upper half', `0x${r}${highS}1b`, '1c'],
    ['with s in the upper half and v = 1', `0x${r}${highS}01`, '1b'],
  ])('%s is spelled one way', (_what, signature, v) =>
    expect(readSignature(signature)).toEqual({ kind: 'key', signature: `0x${r}${s}${v}` }),
  )
})

it.each([
  ['an ERC-6492 signature', `0x${'00'.repeat(320)}${suffix}`, 'smart-account'],
  ['the bytes of two owners', `0x${'ab'.repeat(130)}`, 'smart-account'],
  ['the bytes of two owners without 0x', 'AB'.repeat(130), 'smart-account'],
  ['nothing', '0x', 'none'],
  ['an empty text', '', 'none'],
  ['half a byte', '0x123', 'none'],
  ['half a byte too much', `0x${r}${s}1bf`, 'none'],
  ['no hexadecimal digits', 'signature', 'none'],
  ['too few bytes', `0x${r}`, 'none'],
  ['65 bytes with a v that no key gives', `0x${r}${s}1d`, 'none'],
  ['an object that was made a text', '[object Object]', 'none'],
])('%s', (_what, signature, kind) => expect(readSignature(signature)).toEqual({ kind }))
