import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { logOf } from '#lib/log.ts'
import { postDelivery } from './post-delivery.ts'
import { isLoopbackTrial } from './replay-forms.ts'
import type { Running } from './replay-store.ts'
import { foldAll, postAll } from './run-replay.ts'

const log = logOf('replay')

/**
 * Runs a replay in this process, beside everything else. The secret is held by what runs and by nothing else. Whatever
 * ends it before its time leaves it interrupted, where it stood.
 */
export function launchReplay(replay: Running, secret: string): void {
  void run(replay, secret).catch((error: unknown) => {
    log.error({ replay: replay.id, err: error }, 'A replay was interrupted')
  })
}

function run(replay: Running, secret: string): Promise<void> {
  if (replay.address === null) return foldAll(pool(), replay)
  const url = new URL(replay.address)
  const target = { url, secret, loopback: isLoopbackTrial(url) }
  return postAll(pool(), replay, (body) => postDelivery(target, body))
}
