/** Notifies the other tabs of this browser that somebody signs out here. */
export function announceSignOut(): void {
  const channel = new BroadcastChannel(name)
  channel.postMessage(null)
  channel.close()
}

/** Calls `then` when somebody signs out in another tab; answers how to stop listening. */
export function onSignOutElsewhere(then: () => void): () => void {
  const channel = new BroadcastChannel(name)
  channel.onmessage = then
  return () => channel.close()
}

const name = 'rampart-signed-out'
