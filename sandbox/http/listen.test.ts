import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { listen } from './listen.ts'

it('a request is refused with 503 and Retry-After until the sandbox is ready', async () => {
  const listener = await listen(0, 1_000)
  const ask = () => fetch(`http://localhost:${listener.port}/`)
  const early = await ask()
  expect(early.status).toBe(503)
  expect(early.headers.get('retry-after')).toBe('1')
  expect(await early.json()).toMatchObject({ statusCode: 503, name: 'NotReadyError' })
  listener.answerWith(() => new Response('ready'))
  expect(await (await ask()).text()).toBe('ready')
  await listener.close()
})

it('an address of its own is listened on instead of loopback', async () => {
  const listener = await listen(0, 1_000, '127.0.0.2')
  expect((await fetch(`http://127.0.0.2:${listener.port}/`)).status).toBe(503)
  await expect(fetch(`http://127.0.0.1:${listener.port}/`)).rejects.toThrow()
  await listener.close()
})

describe('a connection that was used before', () => {
  /** The first request is answered before the bytes are sent. The result is everything that comes after that answer. */
  async function sendSecond(bytes: string, patienceMs: number) {
    const listener = await listen(0, 400)
    listener.answerWith(() => new Response('ready'))
    const socket = net.connect(listener.port, '127.0.0.1')
    const first = await ask(socket, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(first).toContain('ready')
    await sleep(patienceMs)
    const second = await ask(socket, bytes)
    socket.destroy()
    await listener.close()
    return second
  }

  async function ask(socket: net.Socket, bytes: string) {
    const answer = Promise.race([once(socket, 'data'), once(socket, 'close')])
    socket.write(bytes)
    return String((await answer)[0])
  }

  it.each<[string, number, string]>([
    ['headers beyond 16 KiB', 431, `GET / HTTP/1.1\r\nHost: x\r\nX-Note: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['headers that never end', 408, 'GET / HTTP/1.1\r\nHost'],
    ['no HTTP', 400, 'hello\r\n\r\n'],
  ])('gets its refusal for %s: %i', async (_what, status, bytes) => {
    const second = await sendSecond(bytes, 20)
    expect(second).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(JSON.parse(second.split('\r\n\r\n')[1] ?? '')).toMatchObject({ statusCode: status })
  })

  it('gets no second answer to a request whose body breaks after it was answered', async () => {
    const listener = await listen(0, 400)
    const socket = net.connect(listener.port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    await once(socket, 'data')
    await sleep(20)
    socket.write('no length\r\n')
    await once(socket, 'close')
    expect(text.match(/^HTTP\/1.1 .*$/gm)).toEqual(['HTTP/1.1 503 Service Unavailable'])
    await listener.close()
  })

  it('is kept for as long as a pool of connections may hold it, and does not delay the end', async () => {
    const listener = await listen(0, 400)
    listener.answerWith(() => new Response('ready'))
    const { headers } = await fetch(`http://127.0.0.1:${listener.port}/`)
    expect(headers.get('keep-alive')).toBe('timeout=620')
    const began = performance.now()
    await listener.close()
    expect(performance.now() - began).toBeLessThan(1_500)
  })

  it('takes the next request after a pause longer than a request may take', async () =>
    expect(await sendSecond('GET / HTTP/1.1\r\nHost: x\r\n\r\n', 1_500)).toContain('ready'))
})
