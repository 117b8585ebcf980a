'use client'

import { ArrowUp } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { ListTable } from '../ui/table.tsx'
import { calmRows, type DrawnRow } from './calm-rows.ts'

/** A page of a list that the server draws: on the first, rows renew themselves where they stand, and new ones wait behind a button. */
export function CalmTable({
  head,
  rows,
  isFirst,
}: {
  readonly head: ReactNode
  readonly rows: readonly DrawnRow<ReactNode>[]
  readonly isFirst: boolean
}) {
  const [shown, setShown] = useState(() => rows.map(({ id }) => id))
  const calm = isFirst ? calmRows(shown, rows) : { rows, newCount: 0 }
  // Nothing of what was read is left.
  if (calm.rows === rows && shown[0] !== rows[0]?.id) setShown(rows.map(({ id }) => id))
  const show = () => {
    setShown(rows.map(({ id }) => id))
    window.scrollTo({ top: 0, behavior: 'instant' })
  }
  return (
    <>
      <div className="pointer-events-none sticky top-[calc(var(--above-list,3.375rem)+0.25rem)] z-25 flex h-0 justify-center">
        {calm.newCount > 0 && (
          <Button size="sm" variant="primary" className="pointer-events-auto shadow-float" onClick={show}>
            <ArrowUp aria-hidden />
            Show {calm.newCount} new
          </Button>
        )}
        <span role="status" className="sr-only">
          {calm.newCount > 0 && `${calm.newCount} new above the list`}
        </span>
      </div>
      <ListTable>
        {head}
        <tbody>
          {calm.rows.map(({ id, row }) => (
            <Fragment key={id}>{row}</Fragment>
          ))}
        </tbody>
      </ListTable>
    </>
  )
}
