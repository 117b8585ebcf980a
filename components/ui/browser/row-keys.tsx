'use client'

import { useKeptPlace } from './use-kept-place.ts'
import { useRowKeys } from './use-row-keys.ts'

/** What a list that the server drew does in the browser: `j` and `k` walk its rows, and coming back finds the place. */
export function RowKeys() {
  useRowKeys()
  useKeptPlace()
  return null
}
