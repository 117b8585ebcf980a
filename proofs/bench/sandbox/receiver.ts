import http from 'node:http'

/** When, by the machine's clock, a body arrived for the first time. */
export type ReceivedBody = readonly [body: string, at: number]

// Answers every delivery at once, and says on request what has arrived since the last request.
const arrivals = new Map<string, number>()

const server = http.createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  if (!arrivals.has(body)) arrivals.set(body, Date.now())
  response.writeHead(200, { 'content-length': 2 }).end('{}')
})

process.on('message', (wanted) => {
  process.send?.(wanted === 'count' ? arrivals.size : [...arrivals])
  if (wanted !== 'count') arrivals.clear()
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
