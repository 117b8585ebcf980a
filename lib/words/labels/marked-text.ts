/** A piece of a text that is marked or not. */
export interface TextPiece {
  readonly text: string
  readonly marked: boolean
}

interface Mark {
  readonly from: number
  readonly to: number
}

/** Texts of up to so many characters stay whole, and so many of each end of a longer one. */
const [whole, head, tail, longest] = [30, 8, 5, 20]

/** A text in pieces, shortened in its middle as ids are, but so that the marked parts of both its ends can be seen. */
export function markedPieces(text: string, marks: readonly Mark[]): readonly TextPiece[] {
  if (text.length <= whole) return pieces(text, 0, marks)
  const from = marks.find((mark) => mark.from === 0 && mark.to < text.length)?.to ?? 0
  const to = marks.find((mark) => mark.to === text.length && mark.from > 0)?.from ?? text.length
  const first = Math.min(longest, Math.max(head, from))
  const last = Math.min(longest, Math.max(tail, text.length - to))
  if (first + last >= text.length) return pieces(text, 0, marks)
  return [
    ...pieces(text.slice(0, first), 0, marks),
    { text: '…', marked: false },
    ...pieces(text.slice(-last), text.length - last, marks),
  ]
}

/** @param offset where the text begins in what the marks speak of */
function pieces(text: string, offset: number, marks: readonly Mark[]): TextPiece[] {
  const found: TextPiece[] = []
  for (const [index, character] of [...text].entries()) {
    const at = offset + index
    const marked = marks.some(({ from, to }) => at >= from && at < to)
    const last = found.at(-1)
    if (last?.marked === marked) found[found.length - 1] = { text: last.text + character, marked }
    else found.push({ text: character, marked })
  }
  return found
}
