import http from 'node:http'

export type Listener = {
  port: number
  /** Answers requests from now on; until then they get 503. */
  answerWith(handler: http.RequestListener): void
  /** Takes no new request, lets those under way finish for up to 2 s. */
  close(): Promise<void>
}

/** Listens on this machine's own addresses only, IPv4 and, where there is one, IPv6. Throws when the port is taken. */
export async function listen(port: number): Promise<Listener> {
  let handler: http.RequestListener = (_request, response) => {
    response.writeHead(503, { 'Retry-After': '1' }).end()
  }
  const create = () => http.createServer((request, response) => handler(request, response))
  const first = create()
  const bound = await bind(first, '127.0.0.1', port)
  const second = create()
  const servers = [first, second]
  await bind(second, '::1', bound).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRNOTAVAIL' && error.code !== 'EAFNOSUPPORT') {
      first.close()
      throw error
    }
    servers.pop()
  })
  return {
    port: bound,
    answerWith(given) {
      handler = given
    },
    async close() {
      await Promise.all(servers.map(close))
    },
  }
}

function bind(server: http.Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), 2_000)
    server.close(() => {
      clearTimeout(impatient)
      resolve()
    })
  })
}
