import 'server-only'

/** `limitConcurrency` runs at most so many tasks at once. The others wait in order. */
export function limitConcurrency(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let underWay = 0
  return async (work) => {
    if (underWay < max) underWay += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay -= 1
    }
  }
}

/** `Rounds` repeats a task, one round after the other. */
export interface Rounds {
  /** Requests during a round are merged into one further round. */
  request(): void
  /** `stop` resolves after the current round. */
  stop(): Promise<void>
}

/** `startRounds` runs a round now, each `every` ms, and whenever one is requested. `round` never rejects. */
export function startRounds(round: () => Promise<unknown>, every: number): Rounds {
  let underWay: Promise<unknown> = Promise.resolve()
  let requested = false
  const request = () => {
    if (requested) return
    requested = true
    underWay = underWay.then(() => {
      requested = false
      return round()
    })
  }
  const timer = setInterval(request, every)
  timer.unref()
  request()
  return {
    request,
    async stop() {
      clearInterval(timer)
      await underWay
    },
  }
}
