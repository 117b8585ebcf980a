'use client'

import { useEffect, useRef, useState } from 'react'
import type { AllowedList } from '#lib/audit/export-ticket.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { Total } from '#lib/platform/paging/paging.ts'
import type { Format } from '#lib/platform/rules/csv.ts'
import { inSentence } from '#lib/words/labels/formats.ts'
import { FetchFailed, failureMessage, readRefusal } from '../browser/fetch-json.ts'
import { askSession } from '../browser/session.ts'
import { Button } from '../button.tsx'
import { Callout } from '../callout.tsx'
import { Dialog, DialogActions } from '../dialog.tsx'
import { Field } from '../field.tsx'
import { ConfirmedActionButton } from '../form/confirmed-action-button.tsx'
import { Select } from '../input.tsx'
import { type Noun, totalLabel } from '../shared/total-label.ts'

/** A list can be exported as a file. This is its name, the content of each row, its address, and its fields there. */
export interface ExportedList {
  readonly noun: Noun
  readonly holds: string
  readonly address: string
  readonly fields: Readonly<Record<string, string>>
}

/** The list is exported as a file. The dialog shows the progress and can stop it. */
export function ExportList({
  list: { noun, holds, address, fields: named },
  filters,
  cut = false,
  allow,
}: {
  readonly list: ExportedList
  /** `filters` are the filters of the list, and the result of a search. */
  readonly filters: Readonly<Record<string, string>>
  /** `cut`: the search matches more than it reads, so no file of it is complete. */
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
            ? 'This search has too many matches for a complete file. Type more of the text, or set a filter.'
            : `${holds} All admins are told.`
        }
        action={allow}
        fields={fields}
        // The fields may hold the searched text.
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
  failed: 'The export was interrupted',
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

/** The download is in one of these states. */
export type Download =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' | 'cancelled'; readonly rows: number }
  | { readonly kind: 'done'; readonly rows: number; readonly name: string }
  | { readonly kind: 'failed'; readonly problem: { readonly title: string; readonly next: string } }

/** A file is fetched in pieces and saved when it is complete. Cancelling or leaving also stops the server's work. */
export function useDownload() {
  const [download, setDownload] = useState<Download>({ kind: 'none' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = async (address: string, format: Format) => {
    const control = new AbortController()
    running.current = control
    // A dialog that was closed stays closed.
    const show = (next: Download) => {
      if (running.current === control) setDownload(next)
    }
    let rows = 0
    show({ kind: 'running', rows })
    try {
      const answer = await fetch(address, { signal: control.signal })
      if (!answer.ok || !answer.body) throw new FetchFailed(answer.status, await readRefusal(answer))
      const count = rowCounter(format)
      const pieces: Uint8Array<ArrayBuffer>[] = []
      for (const reader = answer.body.getReader(); ; ) {
        const { done, value } = await reader.read()
        if (done) break
        pieces.push(value)
        rows = count(value)
        show({ kind: 'running', rows })
      }
      const name =
        /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? `list.${format}`
      save(new Blob(pieces, { type: answer.headers.get('content-type') ?? '' }), name)
      show({ kind: 'done', rows, name })
    } catch (error) {
      if (control.signal.aborted) return show({ kind: 'cancelled', rows })
      const problem = error instanceof FetchFailed ? failureMessage(error) : await whyBrokenOff()
      show({ kind: 'failed', problem })
    }
  }
  const cancel = () => running.current?.abort()
  return {
    download,
    start,
    cancel,
    close: () => {
      cancel()
      running.current = null
      setDownload({ kind: 'none' })
    },
  }
}

/** The server breaks a file off when its session ends, and cannot say so in the file. */
async function whyBrokenOff() {
  const session = await askSession()
  const ended = session !== null && session.state !== 'active'
  return {
    title: 'The file is incomplete',
    next: ended
      ? 'Your session ended during the export. Sign in again and repeat it.'
      : 'The connection or the server broke off. Try again.',
  }
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has begun to read the file by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/**
 * The counter counts the rows of a file that comes in pieces, without the heading of a CSV file. Each call takes a
 * piece and returns the rows so far.
 */
export function rowCounter(format: 'csv' | 'ndjson'): (piece: Uint8Array) => number {
  let [ends, quoted] = [0, false]
  return (piece) => {
    for (const byte of piece) {
      // A cell in quotes may hold a line end. A quote in it is written twice, so it toggles twice.
      if (byte === quote && format === 'csv') quoted = !quoted
      else if (byte === lineFeed && !quoted) ends++
    }
    return Math.max(0, format === 'csv' ? ends - 1 : ends)
  }
}

const [quote, lineFeed] = [0x22, 0x0a]
