import 'server-only'
import { z } from 'zod'
import type { TransactionSort } from '#lib/domain/transaction-sort.ts'
import type { TransactionRecord } from './transaction-record.ts'

/** An order of the list: what it goes by, always from the top down. */
interface Sort {
  /** As its indexes have it: alone, after the direction and after the step. */
  readonly by: string
  readonly type: 'timestamptz' | 'numeric'
  readonly valueOf: (record: TransactionRecord) => string
  /** What `valueOf` can answer. */
  readonly value: z.ZodType<string>
}

const time = z.iso.datetime({ precision: 3 }).refine((text) => Date.parse(text) >= 0)

/** No amount is less than any amount. Amounts compare as numbers, whatever their currency. */
export const sorts = {
  started: {
    by: 'started_at',
    type: 'timestamptz',
    valueOf: (record) => record.started_at.toISOString(),
    value: time,
  },
  moved: {
    by: 'last_move_at',
    type: 'timestamptz',
    valueOf: (record) => record.last_move_at.toISOString(),
    value: time,
  },
  amount: {
    by: `COALESCE(amount_fiat, '-Infinity'::numeric)`,
    type: 'numeric',
    valueOf: (record) => record.amount_fiat ?? '-Infinity',
    value: z.string().regex(/^(-?\d+(\.\d+)?|-Infinity)$/),
  },
} as const satisfies Record<TransactionSort, Sort>
