import net from 'node:net'

/**
 * The proxy to a port on loopback can fall silent, as when a firewall forgets a connection or its machine vanishes.
 * @param loses whether what was said meanwhile is lost, or passed on afterwards
 */
export async function startSilentProxy(target: number, loses = true) {
  const open = new Set<net.Socket>()
  const held: (() => void)[] = []
  let silent = false
  let leadsTo = target
  const server = net.createServer((near) => {
    const far = net.connect(leadsTo, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      // Bytes sent during silence are lost, so the connection is useless afterwards.
      let isDropping = false
      one.on('data', (chunk) => {
        if (silent && !loses) return held.push(() => other.write(chunk))
        isDropping ||= silent
        if (!isDropping) other.write(chunk)
        return undefined
      })
      one.on('error', () => undefined)
      one.on('close', () => {
        open.delete(one)
        if (!silent) other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy()
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    /** The proxy passes nothing on any more, and neither side notices. */
    fallSilent() {
      silent = true
    },
    /** New connections work. An older connection stays silent if anything was sent on it. */
    speakAgain() {
      silent = false
      for (const pass of held.splice(0)) pass()
    },
    /**
     * New connections lead to another port, as when an address changes its meaning. Existing connections stay where they
     * lead.
     */
    leadTo(other: number) {
      leadsTo = other
    },
    cut,
    stop() {
      cut()
      server.close()
    },
  }
}
