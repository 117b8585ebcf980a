import 'server-only'
import { z } from 'zod'
import { PastedTextSchema } from './pasted-text.ts'

/** An id that a form sends, in lower case as they are stored. */
export const uuidField = (message: string) =>
  z.string(message).pipe(PastedTextSchema).pipe(z.guid(message).toLowerCase())
