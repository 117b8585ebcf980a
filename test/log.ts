import { redirectLog } from '../lib/platform/log/create-log.ts'

export interface LoggedLine {
  readonly level: string
  readonly component: string
  readonly message: string
  readonly [field: string]: unknown
}

/** Log lines are kept from now on instead of printed. */
export function captureLog(): { readonly lines: LoggedLine[]; readonly text: () => string; stop(): void } {
  const lines: LoggedLine[] = []
  const stop = redirectLog((line) => void lines.push(JSON.parse(line)))
  return { lines, text: () => lines.map((line) => JSON.stringify(line)).join('\n'), stop }
}
