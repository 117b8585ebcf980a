import 'server-only'
import { Refused } from '#lib/request/refusals.ts'

/** Bytes of a file. */
export const mostBytes = 32 * 1024 * 1024

/** A line of the file; the first has the number 1. */
export interface FileLine {
  readonly number: number
  readonly text: string
}

/** The lines of an upload that hold anything, as it comes. Throws `Refused` when it is too large. */
export async function* readFileLines(upload: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine> {
  const decoder = new TextDecoder()
  let bytes = 0
  let rest = ''
  let number = 0
  for await (const chunk of upload) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Refused(tooLarge)
    // A line end of two characters may lie across two chunks.
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const text of lines) yield* lineOf(++number, text)
  }
  for (const text of (rest + decoder.decode()).split(/\r/)) yield* lineOf(++number, text)
}

function* lineOf(number: number, text: string): Generator<FileLine> {
  if (text.trim() !== '') yield { number, text }
}

const tooLarge = {
  title: 'This file is larger than 32 MB.',
  next: 'Nothing was imported. Divide it, and import the parts one after the other.',
}
