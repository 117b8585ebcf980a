/** One tab of this browser announces something to the others. */
interface TabChannel {
  announce(): void
  /** `then` is called whenever another tab announces it. Returns a function that stops listening. */
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

/** The other tabs of this browser learn that somebody has just signed in here, and this tab learns it from them. */
export const { announce: announceSignIn, listen: onSignInElsewhere } = tabChannel('rampart-signed-in')

/** The other tabs of this browser learn that somebody signs out here, and this tab learns it from them. */
export const { announce: announceSignOut, listen: onSignOutElsewhere } = tabChannel('rampart-signed-out')
