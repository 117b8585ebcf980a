import type pg from 'pg'
import { shardCount } from '#lib/deliveries/rules/subject.ts'
import { ErasedPeople } from '#lib/timeline/projector/erased-people.ts'
import { Pipeline, type ProjectorContext } from '#lib/timeline/projector/pipeline.ts'
import { RebuildWorker } from '#lib/timeline/projector/rebuild-worker.ts'
import { ShardLeases } from '#lib/timeline/projector/shard-leases.ts'
import { SubjectCache } from '#lib/timeline/projector/subject-cache.ts'

/** The function takes all shards, as a projector does that runs alone. It throws when another holds some of them. */
export async function takeAllShards(
  pool: pg.Pool,
  { shards = shardCount, kept }: { readonly shards?: number; readonly kept?: number } = {},
): Promise<ProjectorContext> {
  const leases = new ShardLeases(pool, shards)
  const share = await leases.checkShare()
  if (share && share !== 'lost') await leases.applyShare(share)
  if (leases.held.length < shards) throw new Error('Another projector holds a shard')
  const erased = new ErasedPeople()
  await erased.load(pool)
  return { pool, leases, shards, subjects: new SubjectCache(pool, kept), erased }
}

/** The function folds one batch and returns when it is written. */
export async function foldBatch(work: ProjectorContext, size = 500): Promise<number> {
  const pipeline = new Pipeline(work, size)
  const { taken } = await pipeline.runBatch(async () => undefined)
  await pipeline.finishWriting()
  return taken
}

/** The function folds every waiting delivery, in batches of `size`. */
export async function foldWaiting(work: ProjectorContext, size = 500): Promise<void> {
  while ((await foldBatch(work, size)) > 0);
}

/** The function folds and rebuilds until nothing is left to do. */
export async function foldAndRebuild(work: ProjectorContext, size = 500): Promise<void> {
  const sweep = new RebuildWorker(work)
  for (;;) {
    const taken = await foldBatch(work, size)
    const busy = await sweep.runSlice(async () => undefined)
    await sweep.finishWriting()
    if (taken === 0 && !busy) return
  }
}
