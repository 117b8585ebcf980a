'use client'

import { StepPill } from '#components/transactions/step-pill.tsx'
import { Link } from '#components/ui/link.tsx'
import { Td, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { GapDetailsView } from '#lib/endpoints/gaps/gaps.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/** A row shows these fields of a transaction. */
export type OpenTransactionRow = Pick<
  GapDetailsView['transactions'][number],
  'uuid' | 'direction' | 'step' | 'reason' | 'stuck' | 'flags' | 'startedAt' | 'lastMoveAt'
>

/**
 * The rows show transactions that were open in a gap. The browser draws them from their data, which is many times
 * shorter than elements.
 */
export const OpenTransactionRows = ({
  transactions,
}: {
  readonly transactions: readonly OpenTransactionRow[]
}) =>
  transactions.map(({ uuid, direction, step, reason, stuck, flags, startedAt, lastMoveAt }) => (
    <Tr key={uuid} className="relative transition-colors hover:bg-hover">
      <Td>
        <Link href={`/transactions/${uuid}`} data-row title={uuid} className="mono row-link">
          {shortId(uuid)}
        </Link>
      </Td>
      <Td className="max-sm:py-2">
        <StepPill direction={direction} step={step} reason={reason} stuck={stuck} flags={flags} />
        <span className="mt-1 block text-muted text-sm sm:hidden">
          updated <Time at={lastMoveAt} />
        </span>
      </Td>
      <Td className="text-muted max-sm:hidden">
        <Time at={startedAt} style="clock" />
      </Td>
      <Td className="text-muted max-sm:hidden">
        <Time at={lastMoveAt} />
      </Td>
    </Tr>
  ))
