import 'server-only'

/** Lets at most so many be under way at once, the others after them in the order that they came. */
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

/** Work that is done again and again, one round after the other. */
export interface Rounds {
  /** Requests while a round runs are merged into one further round. */
  request(): void
  /** Ends after the round under way. */
  stop(): Promise<void>
}

/** Runs a round now, each `every` ms, and whenever one is requested. `round` never rejects. */
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
