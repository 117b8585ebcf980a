/** What one tab of this browser announces to the others. */
interface TabChannel {
  announce(): void
  /** Calls `then` whenever another tab announces it; answers how to stop listening. */
  listen(then: () => void): () => void
}

export const tabChannel = (name: string): TabChannel => ({
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
