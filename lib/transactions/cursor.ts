import 'server-only'
import { z } from 'zod'

/** Where a page ended. */
export interface Cursor {
  readonly at: Date
  readonly subjectId: string
}

export const toCursor = ({ at, subjectId }: Cursor): string =>
  Buffer.from(JSON.stringify([at.getTime(), subjectId])).toString('base64url')

/** Null for what `toCursor` did not make. */
export function parseCursor(text: string | undefined): Cursor | null {
  try {
    const [at, subjectId] = Parts.parse(JSON.parse(Buffer.from(text ?? '', 'base64url').toString()))
    return { at: new Date(at), subjectId }
  } catch {
    return null
  }
}

const Parts = z.tuple([z.int().min(0).max(8.64e15), z.string().regex(/^[^\0]{1,300}$/)])
