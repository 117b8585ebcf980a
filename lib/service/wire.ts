import 'server-only'
import { z } from 'zod'

/** A uuid of any version, as the contract's `string (uuid)`; kept as the service writes it. */
export const uuidSchema = z.guid()

/** Text that the contract does not promise: absent, empty or of another type reads as null. */
export const optionalTextSchema = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => text || null)

/** A credential that an HTTP header can carry: visible ASCII. Anything else could never have been valid. */
export const headerValueSchema = z.string().regex(/^[!-~]+$/)

/**
 * A list of `item`.
 * ASSUMED: either a bare array or an object in which exactly one field is an array; the contract says "list".
 */
export const listOf = <Item extends z.ZodType>(item: Item) => z.preprocess(unwrapList, z.array(item))

function unwrapList(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const lists = Object.values(body).filter(Array.isArray)
  return lists.length === 1 ? lists[0] : body
}
