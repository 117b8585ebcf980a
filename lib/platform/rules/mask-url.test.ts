import { expect, it } from 'vitest'
import { maskUrl } from './network-addresses.ts'

it.each([
  ['https://u:S3cr3t@hooks.example.com/x?token=T0P', 'https://hooks.example.com/…?…'],
  ['http://localhost:4001/receiver/x?token=T0P2#frag', 'http://localhost:4001/…?…'],
  ['https://hooks.example.com/services/T000/B000/XXXX', 'https://hooks.example.com/…'],
  ['https://example.com', 'https://example.com'],
  ['https://example.com/', 'https://example.com'],
  ['https://example.com/?key=1', 'https://example.com?…'],
  ['https://example.com/#key', 'https://example.com?…'],
  ['https://[2001:db8::7]:8443/a', 'https://[2001:db8::7]:8443/…'],
  ['not an address, S3cr3t', '…'],
])('of %s shows %s', (url, shown) => {
  expect(maskUrl(url)).toBe(shown)
})
