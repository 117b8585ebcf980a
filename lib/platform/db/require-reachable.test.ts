import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { makeAuthority } from '../../../test/certificates.ts'
import { requireReachable } from './require-reachable.ts'

const authority = makeAuthority()
const own = authority.certify('localhost')
let server: net.Server
let port: number
let folder: string

/** The server offers TLS as PostgreSQL does, and closes the connection once TLS is established. */
beforeAll(async () => {
  server = net.createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('S')
      const secure = new tls.TLSSocket(socket, { isServer: true, key: own.key, cert: own.cert })
      secure.on('error', () => undefined)
      secure.on('secure', () => secure.end())
    })
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-authority-'))
  fs.writeFileSync(path.join(folder, 'ca.pem'), authority.cert)
})
afterAll(() => {
  server.close()
  fs.rmSync(folder, { recursive: true })
})

const reach = (more: string) =>
  requireReachable(
    'DATABASE_URL',
    `postgresql://u:open-sesame@localhost:${port}/x?sslmode=verify-full${more}`,
  )

test('a certificate of an unknown authority is reported, with what to do here', async () => {
  await expect(reach('')).rejects.toThrow(
    `DATABASE_URL: the database at localhost:${port}/x has a certificate of an authority that is not known here. Name the file with that of the authority: DATABASE_URL=…?sslmode=verify-full&sslrootcert=/etc/ssl/db-ca.pem, or NODE_EXTRA_CA_CERTS=/etc/ssl/db-ca.pem.`,
  )
})

test('with the file of the authority the certificate is accepted', async () => {
  await expect(reach(`&sslrootcert=${path.join(folder, 'ca.pem')}`)).rejects.toThrow(
    /does not answer \(Connection terminated unexpectedly\)/,
  )
})

test('a missing file is reported in one line', async () => {
  await expect(reach('&sslrootcert=/nowhere/ca.pem')).rejects.toThrow(
    /^DATABASE_URL: .* was not asked, because a file .* \(ENOENT.*'\/nowhere\/ca\.pem'\)\. Correct sslrootcert in DATABASE_URL/,
  )
})

test.each([
  'no more connections allowed (max_client_conn)',
  'client connections exceeded (max_db_client_connections)',
  'client connections exceeded (max_user_client_connections)',
  'Max client connections reached',
  'too many clients already',
])('a pooler without a place is waited for and reported as such: %s', async (words) => {
  const body = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${words}\0\0`)
  const head = Buffer.from('E....')
  head.writeInt32BE(body.length + 4, 1)
  let tries = 0
  const pooler = net.createServer((socket) => {
    tries += 1
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([head, body])))
  })
  pooler.listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  const address = pooler.address()
  const url = `postgresql://u@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/x`
  const clock = vi.spyOn(performance, 'now')
  onTestFinished(() => {
    clock.mockRestore()
    pooler.close()
  })
  const said = `has no connection left (${words}). Raise max_connections`
  const refused = expect(requireReachable('DATABASE_URL', url)).rejects.toThrow(said)
  await expect.poll(() => tries).toBeGreaterThan(1)
  // The patience is over.
  clock.mockReturnValue(Number.POSITIVE_INFINITY)
  await refused
})
