import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../../bin/postgres.ts'
import type { CheckedAddress } from '../addresses/public-address.ts'
import { failureMessage, sendChecked } from './send-checked.ts'

/** The receiver does this with whoever calls. `closed` settles when the connection is over. */
async function sendTo(answer: (socket: net.Socket) => void, timeoutMs = 2_000, body = Buffer.from('{}')) {
  const closed = Promise.withResolvers<void>()
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('close', () => closed.resolve())
    socket.once('data', () => answer(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`)
  try {
    const status = await sendChecked({ url, method: 'POST', headers: {}, body, loopback: true, timeoutMs })
    return { status, closed: closed.promise }
  } finally {
    server.close()
  }
}

it.each([
  ['200', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 200],
  [
    '101 and changes the protocol',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    101,
  ],
])('a receiver that answers %s is done', async (_what, answer, status) => {
  expect(await sendTo((socket) => socket.write(answer))).toMatchObject({ status })
})

describe('an answer counts by its head', () => {
  const head = (status: number, length = 1_000_000) =>
    `HTTP/1.1 ${status} Fine\r\nContent-Length: ${length}\r\n\r\n`
  const drip = (socket: net.Socket, text: string) => {
    const timer = setInterval(() => socket.write(text), 20)
    socket.once('close', () => clearInterval(timer))
  }

  it.each<[string, number, (socket: net.Socket) => void]>([
    ['does not come', 200, () => undefined],
    ['drips', 202, (socket) => drip(socket, ' ')],
    ['is too long', 203, (socket) => drip(socket, ' '.repeat(16_384))],
    ['breaks off', 200, (socket) => setTimeout(() => socket.resetAndDestroy(), 50)],
    ['ends too early', 200, (socket) => socket.end('{')],
    ['breaks off after a refusal', 503, (socket) => socket.resetAndDestroy()],
  ])('whose body %s, and the connection does not stay', async (_what, status, goOn) => {
    const began = performance.now()
    const answered = await sendTo((socket) => {
      socket.write(head(status))
      setTimeout(goOn, 20, socket)
    }, 15_000)
    expect(answered).toMatchObject({ status })
    await answered.closed
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it('and its body is read for a moment, so that the receiver can finish it', async () => {
    const sent = Promise.withResolvers<boolean>()
    const answered = await sendTo((socket) => {
      socket.write(head(200, 2))
      setTimeout(() => socket.write('ok', (error) => sent.resolve(!error)), 300)
    })
    expect(answered).toMatchObject({ status: 200 })
    expect(await sent.promise).toBe(true)
    await answered.closed
  })

  it('before the request is read, and the connection does not stay', async () => {
    // The buffers of both sides cannot hold this.
    const body = Buffer.alloc(32_000_000)
    const receiver = Promise.withResolvers<net.Socket>()
    const answered = await sendTo(
      (socket) => {
        socket.pause()
        socket.write(head(503, 0))
        receiver.resolve(socket)
      },
      15_000,
      body,
    )
    expect(answered).toMatchObject({ status: 503 })
    const socket = await receiver.promise
    await pause(2_000)
    // A sender that still waited would go on now.
    socket.resume()
    await answered.closed
    expect(socket.bytesRead).toBeLessThan(body.byteLength)
  })

  it('that is whole: half a head is no answer', async () => {
    const error = await sendTo((socket) => socket.write('HTTP/1.1 200 OK\r\nX: '), 400).catch(
      (reason: unknown) => reason,
    )
    expect(failureMessage(error)).toBe('No answer in time')
  })
})

describe('a host of several addresses', () => {
  const toAddress = (address: string): CheckedAddress => ({ address, family: net.isIPv6(address) ? 6 : 4 })

  /** The receiver listens at 127.0.0.1 alone, and its name has these addresses. */
  async function sendToHost(addresses: readonly string[], at = 0) {
    const server = net.createServer((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
    await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
    const listens = server.address()
    const port = typeof listens === 'object' ? listens?.port : ''
    let connections = 0
    try {
      const status = await sendChecked({
        url: new URL(`http://receiver.example:${port}/hook`),
        method: 'POST',
        headers: {},
        body: Buffer.from('{}'),
        loopback: true,
        timeoutMs: 5_000,
        resolve: async () => addresses.map(toAddress),
        onConnected: () => {
          connections++
        },
      })
      return [status, connections]
    } finally {
      server.close()
    }
  }

  it.each([
    ['a dead one of the other family', ['::1', '127.0.0.1']],
    ['a dead one of the same family', ['127.0.0.2', '127.0.0.1']],
    ['several dead ones', ['127.0.0.2', '::1', '127.0.0.3', '127.0.0.1']],
    ['a dead one last', ['127.0.0.1', '::1']],
  ])('is reached past %s, by one connection', async (_what, addresses) => {
    expect(await sendToHost(addresses)).toEqual([204, 1])
  })

  it('is reached past a silent one, well before the end of the time', async () => {
    const port = await freePort()
    // The thread listens and never accepts, so that the system drops what comes when its short queue is full.
    const silent = new Worker(
      `const { parentPort } = require('node:worker_threads')
       require('node:net').createServer().listen({ host: '127.0.0.2', port: ${port}, backlog: 1 }, () => {
         parentPort.postMessage('listens')
         Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
       })`,
      { eval: true },
    )
    await once(silent, 'message')
    const waiting = Array.from({ length: 4 }, () => net.connect(port, '127.0.0.2').on('error', () => {}))
    await expect.poll(() => waiting.filter(({ pending }) => !pending).length).toBeGreaterThan(1)
    const began = performance.now()
    expect(await sendToHost(['127.0.0.2', '127.0.0.1'], port)).toEqual([204, 1])
    expect(performance.now() - began).toBeGreaterThan(500)
    for (const socket of waiting) socket.destroy()
    await silent.terminate()
  })

  it('says that nobody listens when nobody does at any of them', async () => {
    const error = await sendToHost(['127.0.0.2', '::1', '127.0.0.3']).catch((reason: unknown) => reason)
    expect(failureMessage(error)).toBe('Nobody listens at this address')
  })

  it.each([
    ['first', ['10.0.0.1', '127.0.0.1']],
    ['last', ['127.0.0.1', '127.0.0.2', 'fd00::1']],
  ])('is sent nothing when one of them is internal, the %s too', async (_which, addresses) => {
    await expect(sendToHost(addresses)).rejects.toMatchObject({ why: 'internal' })
  })
})
