import 'server-only'
import { Refused } from '#lib/platform/refusals.ts'

/** A file has at most this many bytes. */
export const mostBytes = 32 * 1024 * 1024

/** The first line of the file has the number 1. */
export interface FileLine {
  readonly number: number
  readonly text: string
}

/** A line has at most this many characters: one without an end would be copied again with each chunk. */
const longestLine = 64 * 1024

/**
 * The lines of an upload that are not empty come as they arrive. Throws `Refused` when the upload, or a line of it,
 * is too large.
 */
export async function* readFileLines(upload: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine> {
  let number = 0
  let begun: string[] = []
  let length = 0
  for await (const portion of textOf(upload)) {
    for (const [nth, piece] of portion.split(/\r\n|\n|\r/).entries()) {
      if (nth > 0) {
        const text = begun.join('')
        number++
        if (text.trim() !== '') yield { number, text }
        begun = []
        length = 0
      }
      begun.push(piece)
      length += piece.length
      if (length > longestLine) throw new Refused('import-line-too-long')
    }
  }
}

/** The text ends with a line end, and no line end of two characters lies across two portions. */
async function* textOf(upload: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let begin: Uint8Array = new Uint8Array()
  let bytes = 0
  let held = ''
  for await (const chunk of upload) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Refused('import-too-large')
    begin = decoder ? chunk : Buffer.concat([begin, chunk])
    if (!decoder && begin.length < 2) continue
    decoder ??= new TextDecoder(encodingOf(begin))
    const text = held + decoder.decode(begin, { stream: true })
    held = text.endsWith('\r') ? '\r' : ''
    yield text.slice(0, text.length - held.length)
  }
  yield `${held}${decoder?.decode() ?? new TextDecoder().decode(begin)}\n`
}

/**
 * The mark at the beginning names the encoding. Without one, a text of Latin letters in UTF-16 has 0 in every other
 * byte.
 */
function encodingOf(begin: Uint8Array): string {
  const [first, second] = begin
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (begin.length > 1 && (first === 0) !== (second === 0)) return first === 0 ? 'utf-16be' : 'utf-16le'
  return 'utf-8'
}
