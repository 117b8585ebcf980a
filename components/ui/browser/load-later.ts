import { type ComponentType, lazy } from 'react'

/**
 * A component that is no part of the page's scripts. `Later` is fetched when it is drawn, inside a `Suspense`; `prepare` fetches
 * it before, so that nobody waits: what fails then fails again, and is shown, when it is drawn.
 */
export function loadLater<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return {
    Later: lazy(async () => ({ default: await load() })),
    prepare: () => void load().catch(leaveToDrawing),
  }
}

const leaveToDrawing = () => undefined
