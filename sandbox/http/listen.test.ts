import { expect, it } from 'vitest'
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
