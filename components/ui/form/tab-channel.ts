/** What one tab of this browser announces to the others. */
interface TabChannel {
  announce(): void
  /** Calls `then` whenever another tab announces it; answers how to stop listening. */
  listen(then: () => void): () => void
}

const tabChannel = (name: string): TabChannel => ({
  announce() {
    const channel = new BroadcastChannel(name)
    channel.postMessage(null)
    channel.close()
  },
  listen(then) {
    const channel = new BroadcastChannel(name)
    channel.onmessage = then
    return () => channel.close()
  },
})

/** Notifies the other tabs of this browser that somebody has just signed in here, and is notified by them. */
export const { announce: announceSignIn, listen: onSignInElsewhere } = tabChannel('rampart-signed-in')

/** Notifies the other tabs of this browser that somebody signs out here, and is notified by them. */
export const { announce: announceSignOut, listen: onSignOutElsewhere } = tabChannel('rampart-signed-out')
