'use client'

import { Fragment, type ReactNode, useState } from 'react'
import { ListTable } from '../table.tsx'
import { calmRows, type DrawnRow } from './calm-rows.ts'
import { ListFoot, type ListFootProps } from './list-foot.tsx'
import { NewRows } from './new-rows.tsx'

/** A page of a list that the server draws: on the first, rows renew themselves where they stand, and new ones wait behind a button. */
export function CalmTable({
  head,
  rows,
  isFirst,
  foot,
}: {
  readonly head: ReactNode
  readonly rows: readonly DrawnRow<ReactNode>[]
  readonly isFirst: boolean
  /** Below the rows; it says how many of all wait above them. */
  readonly foot?: ListFootProps
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
      <NewRows count={calm.newCount} onShow={show} />
      <ListTable>
        {head}
        <tbody>
          {calm.rows.map(({ id, row }) => (
            <Fragment key={id}>{row}</Fragment>
          ))}
        </tbody>
      </ListTable>
      {foot && <ListFoot {...foot} waiting={calm.newCount} />}
    </>
  )
}
