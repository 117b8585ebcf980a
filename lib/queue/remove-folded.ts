import 'server-only'
import type { QueryConfig } from 'pg'

/**
 * What removes deliveries that were folded, in the transaction that writes what they changed. What a run put here again
 * after it was taken stays: it is to be read from the log.
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
