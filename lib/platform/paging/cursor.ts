import 'server-only'
import { z } from 'zod'
import { CursorRefused } from '../refusals.ts'

/** Where a page ended, as one text for an address. */
export const encodeCursor = (parts: readonly string[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** The parts of a cursor. Throws `CursorRefused` for a text that `encodeCursor` did not make. */
export function decodeCursor(text: string): string[] {
  const parts = PartsSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString())).data
  if (parts === undefined || encodeCursor(parts) !== text) throw new CursorRefused()
  return parts
}

const PartsSchema = z.array(z.string())

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
