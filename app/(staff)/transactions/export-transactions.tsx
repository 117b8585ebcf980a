'use client'

import { useState } from 'react'
import { ConfirmedActionButton } from '#components/form/confirmed-action-button.tsx'
import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { Select } from '#components/ui/select.tsx'
import type { Action } from '#lib/forms/action-state.ts'
import type { Total } from '#lib/paging/count-up-to.ts'
import type { AllowedTransactions } from '#lib/search/export-transactions.ts'
import { totalLabel } from './total-label.ts'
import { type Download, useDownload } from './use-download.ts'

/** Takes away what the list shows, as a file: says how far it is, and can be stopped. */
export function ExportTransactions({
  filters,
  link,
  cut,
  allow,
}: {
  readonly filters: Readonly<Record<string, string>>
  /** The link of what was searched for. */
  readonly link: string | null
  /** The search matches more than is looked at, so that no file of it is whole. */
  readonly cut: boolean
  readonly allow: Action<AllowedTransactions>
}) {
  const { download, start, cancel, close } = useDownload()
  const [total, setTotal] = useState<Total | null>(null)
  const fields = link === null ? filters : { ...filters, link }
  return (
    <>
      <ConfirmedActionButton
        label="Export"
        title={
          Object.keys(fields).length > 0 ? 'Export the transactions that match?' : 'Export all transactions?'
        }
        description={
          cut
            ? 'The search matches more than is looked at, so the file would not be whole. Type more of what is looked for, or set a filter.'
            : 'A file with each transaction of this list, newest first: its amounts and its user’s id. All admins are told.'
        }
        action={allow}
        fields={fields}
        // The fields may hold what was searched for.
        draft="export"
        done={null}
        afterFreshSignIn
        onDone={({ ticket, format, total: known }) => {
          setTotal(known)
          void start(`/api/transactions/export?${new URLSearchParams({ ...fields, format, ticket })}`, format)
        }}
      >
        {(errorOf) => (
          <Field label="Format" error={errorOf('format')}>
            {(control) => (
              <Select {...control} name="format" defaultValue="csv">
                <option value="csv">CSV, for a spreadsheet</option>
                <option value="ndjson">NDJSON, one object in a line</option>
              </Select>
            )}
          </Field>
        )}
      </ConfirmedActionButton>
      <Dialog
        open={download.kind !== 'none'}
        onOpenChange={(open) => {
          if (!open) close()
        }}
        title={titles[download.kind]}
        width="sm"
      >
        <Progress download={download} total={total} />
        <DialogActions>
          {download.kind === 'running' ? (
            <Button onClick={cancel}>Cancel</Button>
          ) : (
            <Button variant="primary" onClick={close}>
              Close
            </Button>
          )}
        </DialogActions>
      </Dialog>
    </>
  )
}

const titles = {
  none: '',
  running: 'Exporting transactions',
  done: 'Exported',
  cancelled: 'Export cancelled',
  failed: 'The export broke off',
} as const satisfies Record<Download['kind'], string>

function Progress({ download, total }: { readonly download: Download; readonly total: Total | null }) {
  if (download.kind === 'none') return null
  if (download.kind === 'done')
    return (
      <p className="text-sm">
        {totalLabel({ count: download.rows, exact: true })} in{' '}
        <span className="mono wrap-anywhere">{download.name}</span>
      </p>
    )
  if (download.kind === 'failed')
    return (
      <Callout kind="error" title={download.problem.title}>
        {download.problem.next} Nothing was saved.
      </Callout>
    )
  const rows = new Intl.NumberFormat('en').format(download.rows)
  if (download.kind === 'cancelled')
    return <p className="text-sm">Stopped after {rows}. Nothing was saved.</p>
  const known = total?.exact ? total.count : null
  return (
    <div className="grid gap-2 text-sm">
      {known !== null && (
        <progress
          aria-label="Transactions written"
          value={Math.min(download.rows, known)}
          max={Math.max(known, 1)}
          className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-ink [&::-webkit-progress-bar]:bg-line-strong [&::-webkit-progress-value]:bg-ink"
        />
      )}
      <p className="num">
        {rows} so far{total && ` of ${totalLabel(total).replace(/^[A-Z]/, (letter) => letter.toLowerCase())}`}
      </p>
    </div>
  )
}
