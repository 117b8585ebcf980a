/** Notifies the other tabs of this browser that somebody has just signed in here. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(name)
  channel.postMessage(null)
  channel.close()
}

/** Calls `then` whenever somebody signs in in another tab; answers how to stop listening. */
export function onSignInElsewhere(then: () => void): () => void {
  const channel = new BroadcastChannel(name)
  channel.onmessage = then
  return () => channel.close()
}

const name = 'rampart-signed-in'
