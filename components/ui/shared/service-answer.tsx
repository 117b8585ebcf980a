import { setTimeout as sleep } from 'node:timers/promises'
import type { ReactElement, ReactNode } from 'react'
import { AfterStandIn } from './after-stand-in.tsx'

const inTimeMs = 200

/**
 * The service's answer comes with the rest of the page when it arrives within 200 ms, and after a stand-in
 * otherwise. A silent service therefore does not hold the page back (decision 0083). `render` works like a page's:
 * `notFound()` in time is a 404.
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
