import { redact } from './redact.ts'

export type Line = Readonly<Record<string, unknown>>

/** One line of JSON. Whatever is in it, it holds no control character but its own end. */
export const jsonLine = (line: Line): string => `${toJson(line)}\n`

/** Time, level, component, message and fields for a person; the frames of an error's stack follow, indented. */
export function humanLine({ time, level, component, message, pid: _pid, ...fields }: Line): string {
  const { frames, rest } = takeFrames(fields)
  const words = Object.entries(rest).map(([name, value]) => `${escapeControls(name)}=${fieldText(value)}`)
  const first = [
    textOf(time).slice(11, 23),
    textOf(level).toUpperCase().padEnd(5),
    textOf(component).padEnd(10),
    textOf(message),
    ...words,
  ]
  return `${[first.join(' '), ...frames.map((frame) => `    ${escapeControls(frame)}`)].join('\n')}\n`
}

/** JSON escapes line breaks and ESC; terminals and viewers also obey C1 controls, other separators and text direction. */
export const escapeControls = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, i) => escapeUnit(found.charCodeAt(i))).join(''),
  )

const escapeUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`

const toJson = (value: unknown) =>
  escapeControls(JSON.stringify(value, (_, one) => (typeof one === 'string' ? redact(one) : one)))

const textOf = (value: unknown) => escapeControls(redact(String(value ?? '')))

/** Texts without blanks and quotes stand as they are. */
const fieldText = (value: unknown) =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? textOf(value) : toJson(value)

function takeFrames(fields: Record<string, unknown>): { frames: string[]; rest: Record<string, unknown> } {
  const { err, ...others } = fields
  if (typeof err !== 'object' || err === null || !('stack' in err)) return { frames: [], rest: fields }
  const { stack, ...shown } = err
  return { frames: String(stack).split('\n'), rest: { ...others, err: shown } }
}
