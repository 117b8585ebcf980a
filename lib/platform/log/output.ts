import { pino } from 'pino'
import { humanLine, jsonLine, type Line } from './lines.ts'

/**
 * Straight to the file descriptor, so that a line is written before whatever comes next. A full disk, or a reader that has
 * gone, costs lines and not the process; at most 1 MB waits for space.
 */
function openStandardOutput() {
  const destination = pino.destination({ dest: 1, sync: true, maxLength: 1_000_000 })
  destination.on('error', () => {
    // Nowhere is left to say so.
  })
  return destination
}

let standardOutput: ReturnType<typeof openStandardOutput> | undefined

function writeToStandardOutput(line: string) {
  standardOutput ??= openStandardOutput()
  standardOutput.write(line)
}

let write: (line: string) => void = writeToStandardOutput

/** Takes a line as pino made it, and writes it in the form that its reader wants. */
export function writeLine(text: string): void {
  const line: Line = JSON.parse(text)
  write(write === writeToStandardOutput && process.stdout.isTTY ? humanLine(line) : jsonLine(line))
}

/** For tests: JSON lines go to `target` until the answer is called. */
export function redirectLog(target: (line: string) => void): () => void {
  write = target
  return () => {
    write = writeToStandardOutput
  }
}
