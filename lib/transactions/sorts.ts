import 'server-only'
import { z } from 'zod'
import { decodeCursor, encodeCursor } from '#lib/platform/paging/paging.ts'
import { CursorRefused } from '#lib/platform/refusals.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import type { TransactionSort } from './rules/transaction-filters.ts'

/** A list is always sorted in descending order by this key. The subject's id decides between equal values. */
export interface SortKey {
  /** The expression matches the index of the order. */
  readonly by: string
  /** The query selects an expression that is no column under this name: only so PostgreSQL can merge parts in its order. */
  readonly as?: string
  readonly type: 'timestamptz' | 'numeric'
  readonly valueOf: (row: TransactionRow) => string
  /** The schema accepts every result of `valueOf`. */
  readonly value: z.ZodType<string>
}

const timeSchema = z.iso.datetime({ precision: 3 }).refine((text) => Date.parse(text) >= 0)

const started: SortKey = {
  by: 'started_at',
  type: 'timestamptz',
  valueOf: (row) => row.started_at.toISOString(),
  value: timeSchema,
}

const moved: SortKey = {
  by: 'last_move_at',
  type: 'timestamptz',
  valueOf: (row) => row.last_move_at.toISOString(),
  value: timeSchema,
}

/** A missing amount sorts below any amount. Amounts are compared as numbers, whatever their currency. */
const amount: SortKey = {
  by: `COALESCE(amount_fiat, '-Infinity'::numeric)`,
  as: 'listed_amount',
  type: 'numeric',
  valueOf: (row) => row.amount_fiat ?? '-Infinity',
  value: z.string().regex(/^(-?\d+(\.\d+)?|-Infinity)$/),
}

/** Few transactions share a time; many have no amount, so the newest of these come first. */
export const sorts = {
  started: [started],
  moved: [moved],
  amount: [amount, started],
} as const satisfies Record<TransactionSort, readonly [SortKey, ...SortKey[]]>

/** A cursor holds the sort values of the last row of a page. */
export interface Cursor {
  readonly values: readonly string[]
  readonly subjectId: string
}

export const toCursor = (sort: TransactionSort, last: TransactionRow): string =>
  cursorAt(sort, { values: sorts[sort].map((key) => key.valueOf(last)), subjectId: last.subject_id })

export const cursorAt = (sort: TransactionSort, { values, subjectId }: Cursor): string =>
  encodeCursor([sort, ...values, subjectId])

/** Throws `CursorRefused` for a text that `cursorAt` did not make, or made for another order. */
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
