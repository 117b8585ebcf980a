import fs from 'node:fs'

/** `startChild` puts the file of a program's standard output into this variable. */
export const ownLogVariable = 'RAMPART_OWN_LOG'

/** A log is rotated after this many bytes, and checked after this many milliseconds. */
const limits = { largest: 20_000_000, every: 10_000 }

/**
 * The function rotates a log of this process, now and from time to time. A log that is too large becomes `NAME.log.1`,
 * replacing an older one, and starts again. The result stops this. Decision 0036.
 */
export function keepLogSmall(file: string, { largest, every } = limits): () => void {
  const check = () => {
    try {
      if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largest) rotate(file)
    } catch (error) {
      console.error(`The log was not kept small: ${error instanceof Error ? error.message : error}`)
    }
  }
  check()
  const timer = setInterval(check, every)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * The file stays the same, so that traces of a crash end there too. The text is copied and cut off, and an appending writer
 * continues at the new end. The writing process itself does this at once, so it writes nothing between copy and cut.
 */
function rotate(file: string) {
  fs.copyFileSync(file, `${file}.1`)
  fs.truncateSync(file)
}
