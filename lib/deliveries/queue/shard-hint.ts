import 'server-only'
import { uuidPattern } from '#lib/platform/rules/uuid.ts'
import { shardHash } from '../rules/shard.ts'

/**
 * Guesses the shard hash of a body without parsing it, from a `transactionUuid` that occurs once and plainly. Null
 * when only parsing can show it. After a wrong guess the projector that reads the delivery moves it to its shard.
 */
export function shardHint(body: Uint8Array): number | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const at = bytes.indexOf(key)
  if (at < 0) return null
  const uuid = value.exec(bytes.toString('latin1', at + key.length, at + key.length + longest))?.[1]
  return uuid === undefined ? null : shardHash(`transaction:${uuid.toLowerCase()}`)
}

const key = Buffer.from('"transactionUuid"')

/** Characters from the key to the end of its value. */
const longest = 64

const value = new RegExp(String.raw`^\s*:\s*"(${uuidPattern})"`, 'i')
