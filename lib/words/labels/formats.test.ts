import { expect, it } from 'vitest'
import { formatBytes } from './formats.ts'

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [3_400, '3.4 kB'],
  [12_300, '12 kB'],
  [1_000_000, '1.0 MB'],
  [43_000_000_000, '43 GB'],
  [5e15, '5000 TB'],
])('says %d as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
