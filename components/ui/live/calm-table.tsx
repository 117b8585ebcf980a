'use client'

import { Fragment, type ReactNode, useState } from 'react'
import { ListTable } from '../table.tsx'
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

/** A row of a list that the server drew. */
interface DrawnRow<Row> {
  readonly id: string
  readonly row: Row
}

/**
 * The newest rows in the order in which their list is being read, so that none moves under the reader. Those that came since are
 * only counted. Where nothing is left of what was read, or nothing was, the newest stand as they came.
 * @param shown the ids of the rows that are being read, in their order
 */
export function calmRows<Row>(shown: readonly string[], newest: readonly DrawnRow<Row>[]) {
  const byId = new Map(newest.map((each) => [each.id, each]))
  const kept = shown.flatMap((id) => byId.get(id) ?? [])
  return kept.length === 0
    ? { rows: newest, newCount: 0 }
    : { rows: kept, newCount: newest.length - kept.length }
}
