import { afterAll, beforeAll, describe, it } from 'vitest'
import { startRawSandbox } from '../test/raw-sandbox.ts'

let sandbox: Awaited<ReturnType<typeof startRawSandbox>>
beforeAll(async () => {
  sandbox = await startRawSandbox()
})
afterAll(() => sandbox.stop())

/** The head belongs to a correct request whose body comes in chunks. */
const chunkedHead = () => {
  const [head = ''] = sandbox
    .write({ body: '' })
    .toString()
    .replace('Content-Length: 0', 'Transfer-Encoding: chunked')
    .split('\r\n\r\n')
  return `${head}\r\n\r\n`
}

describe('a body of 10 MB', () => {
  const megabyte = Buffer.alloc(1_048_576, 'x')
  const body = Buffer.concat(Array.from({ length: 10 }, () => megabyte))
  const chunks = Array.from({ length: 10 }, () => [
    `${megabyte.length.toString(16)}\r\n`,
    megabyte,
    '\r\n',
  ]).flat()

  it('is refused with 413 when its length is given', () =>
    sandbox.expectRefusal(413, sandbox.write({ body })))

  it('is refused with 413 when it comes in chunks', () =>
    sandbox.expectRefusal(413, chunkedHead(), ...chunks, '0\r\n\r\n'))

  it('is refused with 413 when it waits for a word first', () =>
    sandbox.expectRefusal(413, sandbox.write({ body, more: { Expect: '100-continue' } })))

  it('is not looked at without the API key', () =>
    sandbox.expectRefusal(413, sandbox.write({ body, key: [] })))
})

describe('a slow sender', () => {
  it('of a body is refused with 408', () => sandbox.expectRefusal(408, sandbox.write({}).subarray(0, -5)))

  it('of chunks is refused with 408', () => sandbox.expectRefusal(408, `${chunkedHead()}5\r\n{"url\r\n`))

  it('of headers is refused with 408', () => sandbox.expectRefusal(408, sandbox.write({}).subarray(0, 60)))
})
