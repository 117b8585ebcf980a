import { z } from '@hono/zod-openapi'

/** A merchant's key follows this one rule. The dashboard has the same rule for the key that `npm start` passes on. */
export const ApiKeySchema = z
  .string()
  .regex(/^[!-~]{16,}$/, 'must be at least 16 printable ASCII characters without blanks')
  .openapi({ example: 'sandbox-3f9c2b7a' })
