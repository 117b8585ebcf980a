'use client'

import { useState } from 'react'
import type { AllowedList } from '#lib/audit/export-ticket.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { Total } from '#lib/platform/paging/count-up-to.ts'
import { inSentence } from '#lib/words/labels/in-sentence.ts'
import { Button } from '../button.tsx'
import { Callout } from '../callout.tsx'
import { Dialog, DialogActions } from '../dialog.tsx'
import { Field } from '../field.tsx'
import { ConfirmedActionButton } from '../form/confirmed-action-button.tsx'
import { Select } from '../select.tsx'
import { type Noun, totalLabel } from '../shared/total-label.ts'
import { type Download, useDownload } from './use-download.ts'

/** A list that leaves as a file: what it is called, what the file has of each row, where it is, and what names it there. */
export interface ExportedList {
  readonly noun: Noun
  readonly holds: string
  readonly address: string
  readonly fields: Readonly<Record<string, string>>
}

/** Takes away what the list shows, as a file: says how far it is, and can be stopped. */
export function ExportList({
  list: { noun, holds, address, fields: named },
  filters,
  cut = false,
  allow,
}: {
  readonly list: ExportedList
  /** Which rows: the filters, and what a search found. */
  readonly filters: Readonly<Record<string, string>>
  /** The search matches more than is looked at, so that no file of it is whole. */
  readonly cut?: boolean
  readonly allow: Action<AllowedList>
}) {
  const { download, start, cancel, close } = useDownload()
  const [total, setTotal] = useState<Total | null>(null)
  const [, many] = noun
  const fields = { ...named, ...filters }
  return (
    <>
      <ConfirmedActionButton
        label="Export"
        title={Object.keys(filters).length > 0 ? `Export the ${many} that match?` : `Export all ${many}?`}
        description={
          cut
            ? 'The search matches more than is looked at, so the file would not be whole. Type more of what is looked for, or set a filter.'
            : `${holds} All admins are told.`
        }
        action={allow}
        fields={fields}
        // The fields may hold what was searched for.
        draft="export"
        done={null}
        afterFreshSignIn
        onDone={({ ticket, format, total: known }) => {
          setTotal(known)
          void start(`${address}?${new URLSearchParams({ ...fields, format, ticket })}`, format)
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
        title={download.kind === 'running' ? `Exporting ${many}` : titles[download.kind]}
        width="sm"
      >
        <Progress download={download} total={total} noun={noun} />
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
  done: 'Exported',
  cancelled: 'Export cancelled',
  failed: 'The export broke off',
} as const satisfies Record<Exclude<Download['kind'], 'running'>, string>

function Progress({
  download,
  total,
  noun,
}: {
  readonly download: Download
  readonly total: Total | null
  readonly noun: Noun
}) {
  if (download.kind === 'none') return null
  if (download.kind === 'done')
    return (
      <p className="text-sm">
        {totalLabel({ count: download.rows, exact: true }, noun)} in{' '}
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
          aria-label="Rows written"
          value={Math.min(download.rows, known)}
          max={Math.max(known, 1)}
          className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-ink [&::-webkit-progress-bar]:bg-line-strong [&::-webkit-progress-value]:bg-ink"
        />
      )}
      <p className="num">
        {rows} so far{total && ` of ${inSentence(totalLabel(total, noun))}`}
      </p>
    </div>
  )
}
