import 'server-only'
import { type Listener, listener } from '#lib/db/listen.ts'
import { type Changed, changedChannel, parseChanged } from '#lib/projector/changed.ts'

/** A change as it goes to browsers, numbered within this process. */
export interface Message {
  readonly id: string
  /** Null when a break may have hidden any change. */
  readonly changed: Changed | null
}

/** Hears every change once and tells all who listen. */
export interface Hub {
  listen(hear: (message: Message) => void): () => void
  /** What was said after the message of this id; null when it cannot be said any more. */
  since(id: string): readonly Message[] | null
}

/** Messages kept for browsers that come back after a short break. */
const kept = 500

/** The hub of this process, shared by everything in it. */
export function hub(): Hub {
  globalThis.rampartHub ??= openHub(listener())
  return globalThis.rampartHub
}

export function openHub(source: Listener): Hub {
  const ears = new Set<(message: Message) => void>()
  const recent: Message[] = []
  const boot = Date.now().toString(36)
  let count = 0

  function tell(changed: Changed | null) {
    count += 1
    const message = { id: `${boot}.${count}`, changed }
    recent.push(message)
    if (recent.length > kept) recent.shift()
    for (const hear of ears) hear(message)
  }

  source.hear(changedChannel, (payload) => {
    const changed = parseChanged(payload)
    if (changed) tell(changed)
  })
  source.onListening(() => tell(null))

  return {
    listen(hear) {
      ears.add(hear)
      return () => ears.delete(hear)
    },
    since(id) {
      const at = recent.findIndex((message) => message.id === id)
      return at < 0 ? null : recent.slice(at + 1)
    },
  }
}

declare global {
  var rampartHub: Hub | undefined
}
