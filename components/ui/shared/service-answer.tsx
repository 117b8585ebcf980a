import { setTimeout as sleep } from 'node:timers/promises'
import type { ReactElement, ReactNode } from 'react'
import { AfterStandIn } from './after-stand-in.tsx'

const inTimeMs = 200

/**
 * What the service is asked for: with the rest of the page when it is there within 200 ms, after a stand-in otherwise, so that
 * a page that one comes to is not held back by a service that is silent (decision 0104).
 * @param render as a page's own: `notFound()` in time is a 404
 */
export async function ServiceAnswer({
  render,
  standIn,
}: {
  readonly render: () => Promise<ReactElement>
  readonly standIn: ReactNode
}) {
  const shown = render()
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
