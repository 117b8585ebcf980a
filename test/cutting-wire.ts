import { once } from 'node:events'
import net from 'node:net'

/** Whether a connection breaks at what is sent on it: `before` the database hears it, `after` it, when its answer comes, or not. */
export type Cut = 'before' | 'after' | 'none'

/** For tests: a way to a database that may break at any message. */
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
    /** The database, through it. */
    url: through.href,
    stop() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
