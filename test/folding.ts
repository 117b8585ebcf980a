import type pg from 'pg'
import { shardCount } from '#lib/domain/shard.ts'
import { KnownSubjects } from '#lib/projector/known-subjects.ts'
import { Pipeline, type Work } from '#lib/projector/pipeline.ts'
import { ShardLeases } from '#lib/projector/shard-leases.ts'
import { Sweep } from '#lib/projector/sweep.ts'

/** Takes all shards, as a projector does that is alone. Throws when another holds some of them. */
export async function takeAllShards(
  pool: pg.Pool,
  { shards = shardCount, kept }: { readonly shards?: number; readonly kept?: number } = {},
): Promise<Work> {
  const leases = new ShardLeases(pool, shards)
  const share = await leases.look()
  if (share) await leases.take(share)
  if (leases.held.length < shards) throw new Error('Another projector holds a shard')
  return { pool, leases, shards, subjects: new KnownSubjects(pool, kept) }
}

/** Folds one batch and ends when it is written. */
export async function foldBatch(work: Work, size = 500): Promise<number> {
  const pipeline = new Pipeline(work, size)
  const { taken } = await pipeline.turn(async () => undefined)
  await pipeline.settle()
  return taken
}

/** Folds whatever waits, in batches of `size`. */
export async function foldWaiting(work: Work, size = 500): Promise<void> {
  while ((await foldBatch(work, size)) > 0);
}

/** Folds and rebuilds until nothing is left to do. */
export async function foldAndRebuild(work: Work, size = 500): Promise<void> {
  const sweep = new Sweep(work)
  for (;;) {
    const taken = await foldBatch(work, size)
    const busy = await sweep.slice(async () => undefined)
    await sweep.settle()
    if (taken === 0 && !busy) return
  }
}
