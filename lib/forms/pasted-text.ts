import 'server-only'
import { z } from 'zod'
import { cleanText } from '#lib/domain/text/pasted-text.ts'

/** What somebody pasted into a field, as it is looked up: an id, an address, a number. */
export const PastedTextSchema = z.string().transform((text): string => cleanText(text))
