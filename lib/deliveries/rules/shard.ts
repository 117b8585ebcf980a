/** The queue has at most this many shards. More projectors than this would have nothing to do. */
export const shardCount = 8

/** Hashes are below this number, which every allowed number of shards divides. */
const hashes = 256

/**
 * The hash of a subject is 0 to 255. The remainder of its division by the number of shards is the subject's shard. It is
 * FNV-1a over UTF-16 code units, folded to eight bits.
 */
export function shardHash(subjectId: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < subjectId.length; at++) {
    hash = Math.imul(hash ^ subjectId.charCodeAt(at), 0x01000193)
  }
  return ((hash >>> 16) ^ (hash >>> 8) ^ hash) & (hashes - 1)
}
