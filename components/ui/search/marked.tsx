import { markedPieces } from '#lib/words/labels/marked-text.ts'

/** The text has its marked parts, and is shortened in the middle as ids are. */
export const Marked = ({
  text,
  marks,
}: {
  readonly text: string
  readonly marks: readonly { readonly from: number; readonly to: number }[]
}) => (
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
