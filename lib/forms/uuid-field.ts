import 'server-only'
import { z } from 'zod'

/** An id that a form sends, in lower case as they are stored. */
export const uuidField = (message: string) => z.guid(message).toLowerCase()
