import net from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { isSuccess, send } from './send.ts'

describe('a delivery counts as successful', () => {
  it.each([
    ['2xx', [200, 201, 204, 299], [199, 300, 302, 404, 500]],
    ['200,204', [200, 204], [201, 202, 299, 302, 500]],
    ['302', [302], [200, 204, 303]],
  ])('with %s when it was answered %j, not when %j', (statuses, successes, failures) => {
    const counts = (status: number) => isSuccess({ kind: 'answered', status, body: '' }, statuses)
    expect(successes.map(counts)).toEqual(successes.map(() => true))
    expect(failures.map(counts)).toEqual(failures.map(() => false))
    expect(isSuccess({ kind: 'unanswered', failure: 'ECONNREFUSED' }, statuses)).toBe(false)
  })
})

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** `answer` decides what the receiver does with each request of each connection. A request is one chunk here. */
async function startReceiver(answer: (socket: net.Socket, connection: number, request: number) => unknown) {
  const requests: string[] = []
  let connections = 0
  const server = net.createServer((socket) => {
    const connection = ++connections
    let request = 0
    stops.push(() => socket.destroy())
    socket.on('error', () => {})
    socket.on('data', () => {
      requests.push(`${connection}.${++request}`)
      answer(socket, connection, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => server.close())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`
  const stop = new AbortController().signal
  return { requests, deliver: (timeoutMs = 2_000) => send({ url, secret: 's', body: '{}', timeoutMs, stop }) }
}

describe('the status of an answer counts', () => {
  const head = (status: string, ...headers: string[]) =>
    [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n')

  it.each<[string, { status: number; body: string }, (socket: net.Socket) => unknown]>([
    [
      'no body comes',
      { status: 200, body: '' },
      (socket) => socket.write(head('200 OK', 'Content-Length: 10')),
    ],
    [
      'its body is cut',
      { status: 200, body: 'half' },
      (socket) => socket.end(`${head('200 OK', 'Content-Length: 10')}half`),
    ],
    [
      'its body is reset',
      { status: 202, body: '' },
      (socket) => {
        socket.write(head('202 Accepted', 'Content-Length: 10'))
        setTimeout(() => socket.resetAndDestroy(), 50)
      },
    ],
    [
      'its chunks are none',
      { status: 200, body: '' },
      (socket) => socket.write(`${head('200 OK', 'Transfer-Encoding: chunked')}zz\r\n`),
    ],
    [
      'it has a body that it must not have',
      { status: 204, body: '' },
      (socket) => socket.end(`${head('204 No Content', 'Content-Length: 2')}ok`),
    ],
    [
      'it is a stream without an end',
      { status: 201, body: 'data: x\n\n' },
      (socket) => socket.write(`${head('201 Created', 'Content-Type: text/event-stream')}data: x\n\n`),
    ],
    [
      'it is a refusal whose body is cut',
      { status: 503, body: 'sorry' },
      (socket) => socket.end(`${head('503 Service Unavailable', 'Content-Length: 10')}sorry`),
    ],
  ])('though %s', async (_how, answer, write) => {
    const receiver = await startReceiver(write)
    expect(await receiver.deliver()).toEqual({ kind: 'answered', ...answer })
    expect(receiver.requests).toEqual(['1.1'])
  })

  it('while its body drips, also beyond the time-out, and while it never ends', async () => {
    const drips = await startReceiver((socket) => {
      socket.write(head('200 OK', 'Transfer-Encoding: chunked'))
      const timer = setInterval(() => socket.write('1\r\nx\r\n'), 50)
      socket.on('close', () => clearInterval(timer))
    })
    for (const timeoutMs of [300, 5_000]) {
      const began = performance.now()
      expect(await drips.deliver(timeoutMs)).toEqual({
        kind: 'answered',
        status: 200,
        body: expect.stringMatching(/^x+$/),
      })
      expect(performance.now() - began).toBeLessThan(3_000)
    }
    const endless = await startReceiver((socket) => {
      const line = `${'y'.repeat(1_000)}`
      const pour = () => {
        while (socket.writable && socket.write(line));
      }
      socket.write(head('200 OK'))
      socket.on('drain', pour)
      pour()
    })
    expect(await endless.deliver()).toEqual({ kind: 'answered', status: 200, body: 'y'.repeat(2_000) })
  })

  it('only once its head is whole', async () => {
    const receiver = await startReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'))
    expect((await receiver.deliver()).kind).toBe('unanswered')
    const early = await startReceiver((socket) => socket.write(head('103 Early Hints', 'Link: x')))
    expect(await early.deliver(300)).toEqual({ kind: 'unanswered', failure: 'no answer within 300 ms' })
  })
})

describe('a connection that is used again', () => {
  const ok = (socket: net.Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')

  it.each<[string, (socket: net.Socket) => unknown]>([
    ['closed', (socket) => socket.end()],
    ['reset', (socket) => socket.resetAndDestroy()],
  ])('is replaced by a fresh one when it is %s before an answer came', async (_how, close) => {
    const receiver = await startReceiver((socket, connection, request) =>
      connection === 1 && request === 2 ? close(socket) : ok(socket),
    )
    expect(await receiver.deliver()).toMatchObject({ status: 200 })
    expect(await receiver.deliver()).toEqual({ kind: 'answered', status: 200, body: 'ok' })
    expect(receiver.requests).toEqual(['1.1', '1.2', '2.1'])
  })

  it('is replaced once: what happens on the fresh one counts', async () => {
    const receiver = await startReceiver((socket, connection) =>
      connection === 1 && receiver.requests.length === 1 ? ok(socket) : socket.end(),
    )
    await receiver.deliver()
    expect(await receiver.deliver()).toEqual({ kind: 'unanswered', failure: 'ECONNRESET' })
    expect(receiver.requests).toEqual(['1.1', '1.2', '2.1'])
  })

  it('is not replaced when an answer had begun, nor when none comes in time', async () => {
    const receiver = await startReceiver((socket, _connection, request) => {
      if (request === 1) ok(socket)
      else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')
    })
    await receiver.deliver()
    expect(await receiver.deliver()).toEqual({ kind: 'answered', status: 200, body: 'half' })
    expect(receiver.requests).toEqual(['1.1', '1.2'])

    const silent = await startReceiver((socket, _connection, request) => request === 1 && ok(socket))
    await silent.deliver()
    expect(await silent.deliver()).toEqual({ kind: 'unanswered', failure: 'no answer within 2000 ms' })
    expect(silent.requests).toEqual(['1.1', '1.2'])
  })

  it('ends with an answer that changes the protocol, whose status counts', async () => {
    const receiver = await startReceiver((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    )
    for (const connection of ['1.1', '2.1']) {
      expect(await receiver.deliver()).toEqual({ kind: 'answered', status: 101, body: '' })
      expect(receiver.requests.at(-1)).toBe(connection)
    }
  })

  it('is a failure like any other when it is fresh', async () => {
    const receiver = await startReceiver((socket) => socket.end())
    expect(await receiver.deliver()).toEqual({ kind: 'unanswered', failure: 'ECONNRESET' })
    expect(receiver.requests).toEqual(['1.1'])
  })
})
