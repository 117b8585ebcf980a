import { z } from '@hono/zod-openapi'

/** The one rule for a merchant's key. The dashboard has the same for the key that `npm start` passes on. */
export const ApiKeySchema = z
  .string()
  .regex(/^[!-~]{16,}$/, 'must be at least 16 printable ASCII characters without blanks')
  .openapi({ example: 'sandbox-3f9c2b7a' })
