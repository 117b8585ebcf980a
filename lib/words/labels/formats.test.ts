import { expect, it } from 'vitest'
import { formatBytes, formatShare } from './formats.ts'

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

it.each([
  [2_999, 3_000, '99.9\u00a0%'],
  [1, 3_000, '0.1\u00a0%'],
  [19_999, 20_000, '99.9\u00a0%'],
  [2, 3, '66.7\u00a0%'],
  [1, 2, '50\u00a0%'],
  [3, 3, '100\u00a0%'],
  [0, 3, '0\u00a0%'],
  [0, 0, '–'],
])('says %d of %d as %s: all and none only when nothing is missing', (part, whole, text) => {
  expect(formatShare(part, whole)).toBe(text)
})
