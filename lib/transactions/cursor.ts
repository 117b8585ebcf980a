import 'server-only'
import { z } from 'zod'
import { decodeCursor, encodeCursor } from '#lib/platform/paging/cursor.ts'
import { CursorRefused } from '#lib/platform/refusals.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import type { TransactionSort } from './rules/transaction-sort.ts'
import { type SortKey, sorts } from './sorts.ts'

/** Where a page ended: what the last row is ordered by. */
export interface Cursor {
  readonly values: readonly string[]
  readonly subjectId: string
}

export const toCursor = (sort: TransactionSort, last: TransactionRow): string =>
  cursorAt(sort, { values: sorts[sort].map((key) => key.valueOf(last)), subjectId: last.subject_id })

export const cursorAt = (sort: TransactionSort, { values, subjectId }: Cursor): string =>
  encodeCursor([sort, ...values, subjectId])

/** Throws `CursorRefused` for what `cursorAt` did not make, or made for another order. */
export function parseCursor(sort: TransactionSort, text: string): Cursor {
  const parts = decodeCursor(text)
  const [name, values, subjectId] = [parts[0], parts.slice(1, -1), parts.at(-1)]
  const keys: readonly SortKey[] = sorts[sort]
  const fits =
    values.length === keys.length && keys.every(({ value }, i) => value.safeParse(values[i]).success)
  const known = SubjectIdSchema.safeParse(subjectId).data
  if (name !== sort || !fits || known === undefined) throw new CursorRefused()
  return { values, subjectId: known }
}

const SubjectIdSchema = z.string().regex(/^[^\0]{1,300}$/)
