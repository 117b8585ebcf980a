import 'server-only'

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
