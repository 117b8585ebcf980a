import 'server-only'
import { z } from 'zod'
import type { TransactionSort } from '#lib/domain/transaction-sort.ts'
import { CursorRefused } from '#lib/events/cursor-refused.ts'
import { sorts } from './sorts.ts'
import type { TransactionRecord } from './transaction-record.ts'

/** Where a page ended: what the last row is ordered by. */
export interface Cursor {
  readonly value: string
  readonly subjectId: string
}

export const toCursor = (sort: TransactionSort, last: TransactionRecord): string =>
  cursorAt(sort, sorts[sort].valueOf(last), last.subject_id)

export const cursorAt = (sort: TransactionSort, value: string, subjectId: string): string =>
  encode([sort, value, subjectId])

/** Throws `CursorRefused` for what `cursorAt` did not make, or made for another order. */
export function parseCursor(sort: TransactionSort, text: string): Cursor {
  const parts = Parts(sort).safeParse(decode(text))
  if (!parts.success || encode(parts.data) !== text) throw new CursorRefused()
  const [, value, subjectId] = parts.data
  return { value, subjectId }
}

const Parts = (sort: TransactionSort) =>
  z.tuple([z.literal(sort), sorts[sort].value, z.string().regex(/^[^\0]{1,300}$/)])

const encode = (parts: readonly string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}
