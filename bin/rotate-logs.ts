import fs from 'node:fs'
import path from 'node:path'

/** Bytes after which a log is rotated, and milliseconds between two checks. */
const largest = 20_000_000
const every = 10_000

/**
 * Keeps the logs of a folder small while programs write them: one that has grown too large becomes `NAME.log.1`,
 * replacing an older one, and a new one begins. The returned function stops this. Decision 0036.
 */
export function keepLogsSmall(folder: string): () => void {
  const look = () => {
    try {
      rotateLogs(folder)
    } catch (error) {
      console.error(`The logs were not kept small: ${error instanceof Error ? error.message : error}`)
    }
  }
  look()
  const timer = setInterval(look, every)
  timer.unref()
  return () => clearInterval(timer)
}

export function rotateLogs(folder: string, limit = largest): void {
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name)
    if (name.endsWith('.log') && fs.statSync(file).size > limit) rotate(file)
  }
}

/**
 * Whoever writes keeps its file, so that traces of a crash end there too: the text is copied, then cut off. Files are
 * opened for appending, which goes on at the new end. What is written between the last copy and the cut, which follow
 * each other at once, is lost.
 */
function rotate(file: string) {
  const source = fs.openSync(file, 'r+')
  const target = fs.openSync(`${file}.1`, 'w', 0o600)
  const buffer = Buffer.allocUnsafe(1_000_000)
  for (let size = fs.readSync(source, buffer); size > 0; size = fs.readSync(source, buffer))
    fs.writeSync(target, buffer, 0, size)
  fs.ftruncateSync(source)
  fs.closeSync(target)
  fs.closeSync(source)
}
