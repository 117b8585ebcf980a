import 'server-only'
import { isSandboxReceiver } from '#lib/platform/addresses/receiver-url.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { logOf } from '#lib/platform/log.ts'
import { postDelivery } from './post-delivery.ts'
import type { RunningReplay } from './replay-store.ts'
import { postDeliveries, refoldDeliveries } from './run-replay.ts'

const log = logOf('replay')

/**
 * Runs a replay in this process, beside everything else. The secret is held by what runs and by nothing else. Whatever
 * ends it before its time leaves it interrupted, where it stood.
 */
export function launchReplay(replay: RunningReplay, secret: string): void {
  void runToEnd(replay, secret).catch((error: unknown) => {
    log.error({ replay: replay.id, err: error }, 'A replay was interrupted')
  })
}

function runToEnd(replay: RunningReplay, secret: string): Promise<void> {
  if (replay.address === null) return refoldDeliveries(pool(), replay)
  const url = new URL(replay.address)
  const target = { url, secret, loopback: isSandboxReceiver(url) }
  return postDeliveries(pool(), replay, (body, stopped) => postDelivery(target, body, stopped))
}
