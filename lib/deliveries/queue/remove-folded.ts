import 'server-only'
import type { QueryConfig } from 'pg'

/**
 * Removes folded deliveries from the queue, in the transaction that writes their changes. A delivery that a
 * run requeued meanwhile stays.
 */
export function removeFolded(
  folded: readonly { readonly id: string; readonly run: string | null }[],
): QueryConfig[] {
  return [...Map.groupBy(folded, (delivery) => delivery.run)].map(([run, some]) => ({
    name: 'finish',
    text: FINISH,
    values: [some.map(({ id }) => id), run],
  }))
}

const FINISH =
  'DELETE FROM delivery_pending WHERE delivery_id = ANY($1::uuid[]) AND run IS NOT DISTINCT FROM $2'
