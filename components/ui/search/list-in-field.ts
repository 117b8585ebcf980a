import type { ChangeEvent, ClipboardEvent } from 'react'

/** A field has one line, so it shows this sign where a line of the text ends. */
const lineEnd = '↵'

/** The text of several lines is shown in one. `fromField` gives it back. */
export const inField = (text: string): string => text.replace(/\r\n?|\n/g, lineEnd)

export const fromField = (shown: string): string => shown.replaceAll(lineEnd, '\n')

/** The field searches for a pasted list as it was, also after the next key: a field alone would join its lines. */
export const listInField = (text: string, onText: (text: string) => void) => ({
  value: inField(text),
  onChange: (event: ChangeEvent<HTMLInputElement>) => onText(fromField(event.target.value)),
  onPaste: (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData('text').trim()
    if (inField(pasted) === pasted) return
    event.preventDefault()
    onText(pasted)
  },
})
