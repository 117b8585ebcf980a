import 'server-only'
import { z } from 'zod'

/** The contract's `string (uuid)` allows any version; the text is kept as the service writes it. */
export const uuidSchema = z.guid()

/** The contract does not promise this text: absent, empty or of another type, it reads as null. */
export const optionalTextSchema = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => text || null)

/** An HTTP header can carry only visible ASCII. A credential with anything else could never have been valid. */
export const headerValueSchema = z.string().regex(/^[!-~]+$/)

/**
 * ASSUMED: a list of `item` is a bare array, or an object in which exactly one field is an array; the contract says "list".
 */
export const listOf = <Item extends z.ZodType>(item: Item) => z.preprocess(unwrapList, z.array(item))

function unwrapList(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const lists = Object.values(body).filter(Array.isArray)
  return lists.length === 1 ? lists[0] : body
}
