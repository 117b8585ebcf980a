/** The text has its marked parts, and is shortened in the middle as ids are. */
export const Marked = ({ text, marks }: { readonly text: string; readonly marks: readonly Mark[] }) => (
  <>
    {markedPieces(text, marks).map((piece, index) =>
      piece.marked ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other key
        <mark key={index} className="rounded-xs bg-move-bg font-strong text-move">
          {piece.text}
        </mark>
      ) : (
        piece.text
      ),
    )}
  </>
)

interface TextPiece {
  readonly text: string
  readonly marked: boolean
}

interface Mark {
  readonly from: number
  readonly to: number
}

/**
 * Texts of up to `whole` characters are not shortened. Longer ones keep at least `head` and `tail` characters, at most
 * `longest`.
 */
const [whole, head, tail, longest] = [30, 8, 5, 20]

/** A text is shortened in its middle as ids are, but the marked parts at both ends stay visible. */
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

/** @param offset the position of this text in the full text, which the marks refer to */
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
