import { z } from '@hono/zod-openapi'

/** How often faster than real. */
export const SpeedFactorSchema = z.number().min(0).max(100_000)

/** Divides the real pace: 1 is real, 5 lets a person watch, 0 or "instant" is as fast as the order allows. */
export const SpeedSchema = z
  .union([z.literal('instant').transform(() => 0), SpeedFactorSchema])
  .default(5)
  .describe('Divides the real pace: 1 is real, 0 or "instant" is as fast as the order allows.')
