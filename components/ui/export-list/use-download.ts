'use client'

import { useEffect, useRef, useState } from 'react'
import type { Format } from '#lib/platform/rules/file-text.ts'
import { FetchFailed, failureMessage } from '../browser/fetch-json.ts'
import { askSession } from '../browser/session-calls.ts'
import { rowCounter } from './row-counter.ts'

/** How far a file is. */
export type Download =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' | 'cancelled'; readonly rows: number }
  | { readonly kind: 'done'; readonly rows: number; readonly name: string }
  | { readonly kind: 'failed'; readonly problem: { readonly title: string; readonly next: string } }

/** Fetches a file in pieces and saves it when it is whole. Whoever cancels or leaves ends its making on the server. */
export function useDownload() {
  const [download, setDownload] = useState<Download>({ kind: 'none' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = async (address: string, format: Format) => {
    const control = new AbortController()
    running.current = control
    let rows = 0
    setDownload({ kind: 'running', rows })
    try {
      const answer = await fetch(address, { signal: control.signal })
      if (!answer.ok || !answer.body) throw new FetchFailed(answer.status)
      const count = rowCounter(format)
      const pieces: Uint8Array<ArrayBuffer>[] = []
      for (const reader = answer.body.getReader(); ; ) {
        const { done, value } = await reader.read()
        if (done) break
        pieces.push(value)
        rows = count(value)
        setDownload({ kind: 'running', rows })
      }
      const name =
        /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? `list.${format}`
      save(new Blob(pieces, { type: answer.headers.get('content-type') ?? '' }), name)
      setDownload({ kind: 'done', rows, name })
    } catch (error) {
      if (control.signal.aborted) return setDownload({ kind: 'cancelled', rows })
      const problem = error instanceof FetchFailed ? failureMessage(error) : await whyBrokenOff()
      setDownload({ kind: 'failed', problem })
    }
  }
  const cancel = () => running.current?.abort()
  return {
    download,
    start,
    cancel,
    close: () => {
      cancel()
      setDownload({ kind: 'none' })
    },
  }
}

/** The server breaks a file off when its session ends, and cannot say so in it. */
async function whyBrokenOff() {
  const session = await askSession()
  const ended = session !== null && session.state !== 'active'
  return {
    title: 'The file is not whole',
    next: ended
      ? 'Your sign-in ended before the file did. Sign in again and export it anew.'
      : 'The connection or the server broke off. Try again.',
  }
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
