'use client'

import { clsx } from 'clsx'
import { useEffect, useRef, useState } from 'react'
import { Disclosure } from '../disclosure.tsx'
import { Table, Td, Th, Tr } from '../table.tsx'
import { Time } from '../time.tsx'

/**
 * A line opens the numbers of each hour, newest first. The cells are made only then: few readers open it, and they
 * would be a large part of the server's work for the page.
 */
export function HourTable({
  columns,
  hours,
  dense = false,
  className,
}: {
  readonly columns: readonly { readonly id: string; readonly label: string }[]
  /** Hours come oldest first, as ISO 8601, with a number for each column. */
  readonly hours: readonly { readonly at: string; readonly counts: readonly number[] }[]
  readonly dense?: boolean
  readonly className?: string
}) {
  const [open, setOpen] = useState(false)
  const line = useRef<HTMLDetailsElement>(null)
  const readOpen = () => setOpen(line.current?.open ?? false)
  // The reader may have opened it before the page's script was there.
  useEffect(readOpen, [])
  return (
    <Disclosure ref={line} summary="As a table" onToggle={readOpen}>
      {open && (
        <Table scrolled="Hours" className={className}>
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
      )}
    </Disclosure>
  )
}
