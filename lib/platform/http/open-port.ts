import 'server-only'
import { once } from 'node:events'
import type http from 'node:http'
import net from 'node:net'
import { ConfigurationError } from '../env/variables.ts'

const loopback = '127.0.0.1'

/**
 * The server takes requests at `host`, and at loopback too: the sandbox, the check of a container's health and the commands of
 * our pages ask there. The result takes no more of them.
 */
export async function openPort(
  server: http.Server,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<() => void> {
  await startListening(server, port, host).catch((error: unknown) => {
    if (codeOf(error) !== 'EADDRNOTAVAIL') throw error
    throw new ConfigurationError(`LISTEN: ${host} is no address of this machine`)
  })
  if (host === loopback) return () => void server.close()
  const beside = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  )
  // Loopback is taken where `host` stands for all addresses.
  await startListening(beside, port, loopback).catch((error: unknown) => {
    if (codeOf(error) !== 'EADDRINUSE') throw error
  })
  return () => {
    server.close()
    beside.close()
  }
}

async function startListening(server: net.Server, port: number, host: string) {
  server.listen({ port, host })
  await once(server, 'listening')
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)
