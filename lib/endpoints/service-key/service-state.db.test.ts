import { once } from 'node:events'
import http from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { headUrlFault } from '#lib/audit/heads.ts'
import { providerFault } from '#lib/identity/single-sign-on/provider.ts'
import { mailServerFault } from '#lib/platform/mail/hand-over.ts'
import { startMailServer } from '../../../test/mail-server.ts'
import { configure, startService, type TestService } from '../../../test/service.ts'
import { serviceFault } from './service-state.ts'

// The start warns about services that answer wrongly; `bin/supervise.built.test.ts` tests services that are down.

let service: TestService
let web: http.Server
let webUrl: string
beforeAll(async () => {
  service = await startService()
  web = http.createServer((_request, response) => void response.writeHead(404).end('not here'))
  web.listen(0, 'localhost')
  await once(web, 'listening')
  const address = web.address()
  webUrl = `http://localhost:${typeof address === 'object' && address ? address.port : 0}`
})
afterAll(async () => {
  web.close()
  await service.stop()
})

const of = (settings: Record<string, string>) =>
  configure({ SERVICE_BASE_URL: service.baseUrl, SERVICE_API_KEY: service.apiKey, ...settings })

test('a service that accepts the key has no fault', async () => {
  of({})
  expect(await serviceFault()).toBeNull()
})

test('a refused key is named, with what to do', async () => {
  of({ SERVICE_API_KEY: 'another-key' })
  expect(await serviceFault()).toMatch(/^SERVICE_API_KEY: the service at .* refuses this key\. Give another/)
})

test('another path of the service is not the service', async () => {
  of({ SERVICE_BASE_URL: `${webUrl}/elsewhere` })
  expect(await serviceFault()).toMatch(/^SERVICE_BASE_URL: .* is not the address of the service/)
})

test('a service that answers with errors is named with its status', async () => {
  of({})
  service.answerWith(500, (route) => route.includes('/supported/countries'), 5)
  expect(await serviceFault()).toMatch(
    /^SERVICE_BASE_URL: the service at .* does not answer as it should \(.*500/,
  )
})

test('a mail server that accepts us has no fault, nor has one that is not set', async () => {
  const mail = await startMailServer()
  of({ SMTP_URL: mail.url, MAIL_FROM: 'rampart@example.com' })
  expect(await mailServerFault()).toBeNull()
  await mail.stop()
  of({ SMTP_URL: '', MAIL_FROM: '' })
  expect(await mailServerFault()).toBeNull()
})

test.each(['127.0.0.1', 'localhost'])(
  'a mail server that is not there is named, with why: %s',
  async (host) => {
    const mail = await startMailServer()
    const { port } = new URL(mail.url)
    await mail.stop()
    of({ SMTP_URL: `smtp://user:open-sesame@${host}:${port}`, MAIL_FROM: 'rampart@example.com' })
    const line = await mailServerFault()
    expect(line).toMatch(
      /^SMTP_URL: the mail server at \S+:\d+ does not take mail \(.*ECONNREFUSED.*\)\. Until/,
    )
    expect(line).not.toContain('open-sesame')
  },
)

test('a provider that does not describe itself is named', async () => {
  of({ OIDC_ISSUER: webUrl, OIDC_CLIENT_ID: 'rampart' })
  expect(await providerFault()).toMatch(/^OIDC_ISSUER: the provider at .* does not say what it is \(.+\)\./)
})

test('any server at the address of the erasure heads has no fault: it may accept posts only', async () => {
  of({ AUDIT_HEAD_URL: `${webUrl}/heads` })
  expect(await headUrlFault()).toBeNull()
})
