import { once } from 'node:events'
import net from 'node:net'

/** A connection breaks `before` the database receives the message, `after` it, when its answer comes, or not at all. */
export type Cut = 'before' | 'after' | 'none'

/** The wire to a database may break at any message. */
export async function startCuttingWire(databaseUrl: string, cutAt: (sent: Buffer) => Cut) {
  const target = new URL(databaseUrl)
  const open = new Set<net.Socket>()
  const server = net.createServer((near) => {
    const far = net.connect(Number(target.port), target.hostname)
    let isDeaf = false
    near.on('data', (sent: Buffer) => {
      const cut = cutAt(sent)
      if (cut === 'before') return void near.resetAndDestroy()
      isDeaf ||= cut === 'after'
      far.write(sent)
    })
    far.on('data', (answer) => {
      if (isDeaf) near.resetAndDestroy()
      else near.write(answer)
    })
    for (const [socket, twin] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        twin.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const through = new URL(databaseUrl)
  through.port = String(typeof address === 'object' && address ? address.port : 0)
  return {
    /** The URL leads to the database through the wire. */
    url: through.href,
    stop() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
