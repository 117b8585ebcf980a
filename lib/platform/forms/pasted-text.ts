import 'server-only'
import { z } from 'zod'
import { cleanText } from '../rules/pasted-text.ts'

/** A field for an id, an address or a number, as it is looked up. */
export const PastedTextSchema = z.string().transform((text): string => cleanText(text))
