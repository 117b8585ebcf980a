'use client'

import { useRowKeys } from './use-row-keys.ts'

/** Lets `j` and `k` walk the rows of a list that the server drew. */
export function RowKeys() {
  useRowKeys()
  return null
}
