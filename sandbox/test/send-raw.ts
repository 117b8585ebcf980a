import net from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The bytes go to the sandbox piece by piece. The answer is everything that comes back until it closes the connection. */
export function sendRaw(port: number, ...pieces: (string | Buffer)[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = net.connect(port, '127.0.0.1', async () => {
      for (const piece of pieces) {
        if (!socket.writable) break
        if (!socket.write(piece))
          await new Promise((written) => socket.once('drain', written).once('close', written))
      }
    })
    socket.setTimeout(10_000, () => socket.destroy(new Error('The sandbox neither answered nor hung up')))
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The sandbox closed the connection while the test was still sending, because the answer came before.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
    })
    socket.on('close', () => resolve(parse(Buffer.concat(received).toString())))
  })
}

function parse(answer: string): RawAnswer {
  const [head = '', ...rest] = answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1),
    ]),
  )
  return { status: Number(first.split(' ')[1]), headers, text: rest.join('\r\n\r\n') }
}
