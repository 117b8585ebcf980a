import { setTimeout as sleep } from 'node:timers/promises'
import type { ReactElement, ReactNode } from 'react'
import { AfterStandIn } from './after-stand-in.tsx'

const inTimeMs = 200

/**
 * What the service is asked for: with the rest of the page when it comes within 200 ms, after a stand-in otherwise, so that a
 * service that is silent holds no page back (decision 0104).
 * @param shown rejects as a page does: `notFound()` in time is a 404
 */
export async function ServiceAnswer({
  shown,
  standIn,
}: {
  readonly shown: Promise<ReactElement>
  readonly standIn: ReactNode
}) {
  const late = await isLate(shown)
  return (
    <AfterStandIn late={late} standIn={late && standIn}>
      {late ? shown : await shown}
    </AfterStandIn>
  )
}

const isLate = (answer: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    answer.then(
      () => false,
      () => false,
    ),
    sleep(inTimeMs, true),
  ])
