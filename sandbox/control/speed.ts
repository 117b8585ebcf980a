import { z } from '@hono/zod-openapi'

/** How often faster than real. */
export const SpeedFactorSchema = z.number().min(0).max(100_000)

/**
 * Divides the real pace: 1 is real, 5 lets a person watch, 0 or "instant" is as fast as the order allows. The document has
 * a number alone: a union with a default is what generators of clients fail on.
 */
export const SpeedSchema = z
  .union([z.literal('instant').transform(() => 0), SpeedFactorSchema])
  .default(5)
  .openapi({ type: 'number', minimum: 0, maximum: 100_000 })
  .describe(
    'Divides the real pace: 1 is real, 0 is as fast as the order allows, as is the word "instant"; 5 where it is left out.',
  )
