import crypto from 'node:crypto'
import net from 'node:net'
import { compare } from './compare.ts'
import type { Fault } from './fault.ts'
import { type Attempt, bodyOf, type Step } from './load.ts'
import { openStage, type Receiver, sleep } from './stage.ts'

/** Very many senders connected at once, all of whom then speak at once. */
export const connections: Fault = async ({ short }) => {
  const count = short ? 1_000 : 10_000
  const stage = await openStage('connections')
  try {
    const receiver = await stage.addReceiver()
    const { port } = await stage.addServer()
    const sockets: net.Socket[] = []
    for (let n = 0; n < count; n += 100)
      sockets.push(
        ...(await Promise.all(Array.from({ length: Math.min(100, count - n) }, () => connect(port)))),
      )
    const attempts: Attempt[] = []
    const delivered: Step[] = []
    const talks: Promise<void>[] = []
    const talk = async (socket: net.Socket) => {
      const step = { transactionUuid: crypto.randomUUID(), subType: 'PENDING' }
      for (;;) {
        const attempt = await post(socket, receiver, bodyOf(step))
        attempts.push(attempt)
        if (attempt.status !== 503) break
        await sleep(1_000 + Math.random() * 4_000)
      }
      delivered.push(step)
      socket.destroy()
    }
    for (const [n, socket] of sockets.entries()) {
      talks.push(talk(socket))
      // Who only spoke would hear the first answers late, and blame the server.
      if (n % 100 === 99) await new Promise(setImmediate)
    }
    await Promise.all(talks)
    return `${count} connections: ${await compare(stage, { attempts, delivered })}`
  } finally {
    await stage.close()
  }
}

function connect(port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket))
    socket.once('error', reject)
  })
}

function post(socket: net.Socket, { id, authorization }: Receiver, body: string): Promise<Attempt> {
  const at = performance.now()
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('data', (chunk) => {
      const answer = chunk.toString('latin1')
      resolve({
        at,
        took: performance.now() - at,
        status: Number(answer.slice(9, 12)),
        retryAfter: /^retry-after: (\d+)/im.exec(answer)?.[1],
      })
    })
    socket.write(
      `POST /api/webhooks/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  })
}
