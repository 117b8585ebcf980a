import { z } from '@hono/zod-openapi'

/** Divides the real pace: 1 is real, 5 lets a person watch, 0 or "instant" is as fast as the order allows. */
export const Speed = z
  .union([z.literal('instant').transform(() => 0), z.coerce.number().min(0).max(100_000)])
  .default(5)
