'use client'

import { Fragment, type ReactNode, useState } from 'react'
import { ListTable } from '../table.tsx'
import { ListFoot, type ListFootProps } from './list-foot.tsx'
import { NewRows } from '../list/new-rows.tsx'

/** The server draws a page of a list. On the first page, rows update in place and new rows wait behind a button. */
export function StableTable({
  head,
  rows,
  isFirst,
  foot,
}: {
  readonly head: ReactNode
  readonly rows: readonly DrawnRow<ReactNode>[]
  readonly isFirst: boolean
  /** The foot is below the rows and includes the new rows that wait. */
  readonly foot?: ListFootProps
}) {
  const [shown, setShown] = useState(() => rows.map(({ id }) => id))
  const stable = isFirst ? stableRows(shown, rows) : { rows, newCount: 0 }
  // None of the rows that were being read is left.
  if (stable.rows === rows && shown[0] !== rows[0]?.id) setShown(rows.map(({ id }) => id))
  const show = () => {
    setShown(rows.map(({ id }) => id))
    window.scrollTo({ top: 0, behavior: 'instant' })
  }
  return (
    <>
      <NewRows count={stable.newCount} onShow={show} />
      <ListTable>
        {head}
        <tbody>
          {stable.rows.map(({ id, row }) => (
            <Fragment key={id}>{row}</Fragment>
          ))}
        </tbody>
      </ListTable>
      {foot && <ListFoot {...foot} waiting={stable.newCount} />}
    </>
  )
}

/** The server drew this row of a list. */
interface DrawnRow<Row> {
  readonly id: string
  readonly row: Row
}

/**
 * The newest rows keep the order in which their list is being read, so that none moves under the reader; rows that
 * came since are only counted. If none of the read rows is left, the newest are shown as they came. `shown` holds
 * the ids of the rows being read, in order.
 */
export function stableRows<Row>(shown: readonly string[], newest: readonly DrawnRow<Row>[]) {
  const byId = new Map(newest.map((each) => [each.id, each]))
  const kept = shown.flatMap((id) => byId.get(id) ?? [])
  return kept.length === 0
    ? { rows: newest, newCount: 0 }
    : { rows: kept, newCount: newest.length - kept.length }
}
