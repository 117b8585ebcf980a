import 'server-only'
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { Key } from '#lib/platform/env.ts'
import { isSigned, type Signature, sign } from '#lib/platform/keys/signature.ts'
import type { ChainHead } from './chain.ts'

/** A head as it stands in the log and is posted: readable, and signed. */
export interface SignedHead extends Signature {
  readonly position: string
  /** In hex. */
  readonly digest: string
  /** ISO 8601. */
  readonly at: string
}

/** The message of the log's line, by which it is found again. */
export const headMessage = 'The end of the audit chain'

export function signHead(keys: readonly [Key, ...Key[]], head: ChainHead): SignedHead {
  const plain = { position: String(head.position), digest: head.digest.toString('hex'), at: head.at }
  return { ...plain, ...sign(keys, purpose, textOf(plain)) }
}

/** Heads found in lines, and how many could not be believed. */
export interface FoundHeads {
  readonly heads: readonly ChainHead[]
  /** Signed by nobody who had one of the keys: put in, or changed. */
  readonly forged: number
  /** Signed under a key that is not given here; they are among the heads all the same. */
  readonly unchecked: number
}

/** Finds heads in lines of JSON: of a log, or of what a webhook was sent. Other lines are passed over. */
export function readHeads(keys: readonly Key[], lines: Iterable<string>): FoundHeads {
  const heads: ChainHead[] = []
  let [forged, unchecked] = [0, 0]
  for (const line of lines) {
    const read = readLine(line)
    if (!read) continue
    const { position, digest, at } = read.head
    const genuine = isSigned(keys, purpose, textOf(read.head), read.head)
    if (genuine === false) {
      forged += 1
      continue
    }
    if (genuine === null) unchecked += 1
    const { database } = read
    const head = { position: BigInt(position), digest: Buffer.from(digest, 'hex'), at }
    heads.push(database === undefined ? head : { ...head, database })
  }
  return { heads, forged, unchecked }
}

/** The server's log in a data directory, and the part of it that was rotated out. */
export function readOwnLog(dataDir: string): string[] {
  return ['server.log.1', 'server.log']
    .map((name) => path.join(dataDir, 'logs', name))
    .filter((file) => fs.existsSync(file))
    .flatMap((file) => fs.readFileSync(file, 'utf8').split('\n'))
}

const purpose = 'audit head'

const textOf = ({ position, digest, at }: Omit<SignedHead, keyof Signature>) => `${position} ${digest} ${at}`

const HeadSchema = z.object({
  position: z.string().regex(/^\d{1,18}$/),
  digest: z.string().regex(/^([0-9a-f]{64})?$/),
  at: z.string().max(40),
  keyId: z.string().max(100),
  signature: z.string().max(100),
})

/** A line of the log has the head in the field `head`, a line of a webhook's own log may have it plainly. */
function readLine(line: string): z.output<typeof LineSchema> | null {
  if (!line.includes('"signature"')) return null
  const start = line.indexOf('{')
  try {
    const json: unknown = JSON.parse(line.slice(start))
    const head = HeadSchema.safeParse(json).data
    return LineSchema.safeParse(json).data ?? (head ? { head } : null)
  } catch {
    // A line that was cut off, such as the last one of a log.
    return null
  }
}

const LineSchema = z.object({ head: HeadSchema, database: z.string().optional() })
