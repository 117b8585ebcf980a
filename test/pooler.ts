import { once } from 'node:events'
import net from 'node:net'

export interface Pooler {
  /** The URL leads to the database through the pooler. */
  readonly url: string
  stop(): void
}

/**
 * The pooler hands connections on after each transaction. A connection's process id is invented, and no notification
 * arrives.
 */
export async function startPooler(databaseUrl: string): Promise<Pooler> {
  const target = new URL(databaseUrl)
  const open = new Set<net.Socket>()
  /** The map's keys are the connections' secrets. */
  const processes = new Map<number, number>()
  const server = net.createServer((near) => {
    const far = net.connect(Number(target.port), target.hostname)
    near.once('data', (first: Buffer) => {
      const isCancelling = first.length === 16 && first.readInt32BE(4) === cancelRequestCode
      if (isCancelling) first.writeInt32BE(processes.get(first.readInt32BE(12)) ?? 0, 8)
      far.write(first)
      near.pipe(far)
    })
    let rest: Buffer = Buffer.alloc(0)
    far.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      for (let end = endOfFirst(rest); end !== null; end = endOfFirst(rest)) {
        const message = Buffer.from(rest.subarray(0, end))
        rest = rest.subarray(end)
        if (message[0] === keyData) {
          processes.set(message.readInt32BE(9), message.readInt32BE(5))
          message.writeInt32BE(1, 5)
        }
        if (message[0] !== notification) near.write(message)
      }
    })
    far.on('close', () => near.destroy())
    near.on('close', () => far.destroy())
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => undefined)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(databaseUrl)
  const address = server.address()
  through.port = String(typeof address === 'object' && address ? address.port : 0)
  return {
    url: through.href,
    stop() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

const cancelRequestCode = 80_877_102
const [keyData, notification] = ['K', 'A'].map((letter) => letter.charCodeAt(0))

/** A server's message has a letter, and a length that counts itself and what follows. */
const endOfFirst = (bytes: Buffer): number | null => {
  const end = bytes.length < 5 ? Number.POSITIVE_INFINITY : 1 + bytes.readInt32BE(1)
  return end <= bytes.length ? end : null
}
