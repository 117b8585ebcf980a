'use client'

import { clsx } from 'clsx'
import { Table, Td, Th, Tr } from './ui/table.tsx'
import { Time } from './ui/time.tsx'

/** Numbers of each hour, the latest first. Made in the browser of its numbers: as elements they would be many times as long. */
export function HourTable({
  columns,
  hours,
  dense = false,
  className,
}: {
  readonly columns: readonly { readonly id: string; readonly label: string }[]
  /** The earliest first; ISO 8601, and a number for each column. */
  readonly hours: readonly { readonly at: string; readonly counts: readonly number[] }[]
  readonly dense?: boolean
  readonly className?: string
}) {
  return (
    <Table className={className}>
      <thead>
        <tr>
          <Th>Hour from</Th>
          {columns.map(({ id, label }) => (
            <Th key={id} numeric>
              {label}
            </Th>
          ))}
        </tr>
      </thead>
      <tbody>
        {hours.toReversed().map(({ at, counts }) => (
          <Tr key={at}>
            <Td className={clsx(dense && 'h-8!')}>
              <Time at={at} style="minute" className="num" />
            </Td>
            {columns.map(({ id }, nth) => (
              <Td key={id} numeric className={clsx(dense && 'h-8!')}>
                {(counts[nth] ?? 0).toLocaleString('en')}
              </Td>
            ))}
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}
