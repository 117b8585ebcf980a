import 'server-only'
import { z } from 'zod'
import { cleanText } from '../rules/pasted-text.ts'
import { findUuid } from '../rules/whole-ids.ts'

/** An id that a form sends, as it was typed or pasted, in lower case as they are stored. */
export const uuidField = (message: string) =>
  z
    .string(message)
    .transform((text) => findUuid(cleanText(text)) ?? text)
    .pipe(z.guid(message).toLowerCase())
