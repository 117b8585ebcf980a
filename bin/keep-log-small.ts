import fs from 'node:fs'

/** Where `startChild` names the file that is the standard output of a program. */
export const ownLogVariable = 'RAMPART_OWN_LOG'

/** Bytes after which a log is rotated, and milliseconds between two checks. */
const limits = { largest: 20_000_000, every: 10_000 }

/**
 * Rotates a log that this process writes, now and from time to time: one that has grown too large becomes `NAME.log.1`,
 * replacing an older one, and begins anew. The returned function stops this. Decision 0036.
 */
export function keepLogSmall(file: string, { largest, every } = limits): () => void {
  const look = () => {
    try {
      if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largest) rotate(file)
    } catch (error) {
      console.error(`The log was not kept small: ${error instanceof Error ? error.message : error}`)
    }
  }
  look()
  const timer = setInterval(look, every)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * The file stays the same, so that traces of a crash end there too: the text is copied, then cut off, and what is opened
 * for appending goes on at the new end. Whoever writes does this itself, at once, and so writes nothing between the
 * copy and the cut.
 */
function rotate(file: string) {
  fs.copyFileSync(file, `${file}.1`)
  fs.truncateSync(file)
}
