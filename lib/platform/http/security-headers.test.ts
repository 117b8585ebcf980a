import { expect, it, vi } from 'vitest'
import { configure } from '../../../test/service.ts'

async function load(settings: Record<string, string>) {
  vi.resetModules()
  configure(settings)
  return import('./security-headers.ts')
}

it('a page runs only scripts with its nonce, and no other page can frame it', async () => {
  const { newNonce, pageHeaders } = await load({})
  const nonce = newNonce()
  const policy = pageHeaders(nonce)['content-security-policy']
  expect(policy).toContain(`script-src 'nonce-${nonce}' 'strict-dynamic';`)
  expect(policy).toContain(`style-src 'self' 'nonce-${nonce}';`)
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
  expect(newNonce()).not.toBe(nonce)
})

it('an answer that is no page loads nothing, has no base and cannot be framed', async () => {
  const { answerHeaders, newNonce, pageHeaders } = await load({})
  for (const headers of [answerHeaders(), pageHeaders(newNonce())]) {
    const policy = headers['content-security-policy']
    expect(policy).toMatch(/(^|; )(default-src|object-src) 'none'/)
    expect(policy).toContain("base-uri 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
  }
})

it('no cache keeps an answer that is no page', async () => {
  const { answerHeaders } = await load({})
  expect(answerHeaders()['cache-control']).toBe('no-store')
})

it.each([
  ['https://dash.example', 'max-age=31536000', true],
  ['http://localhost:3000', undefined, false],
])('at %s browsers are told to use HTTPS: %s', async (publicUrl, expected, upgrades) => {
  const { answerHeaders, newNonce, pageHeaders } = await load({ PUBLIC_URL: publicUrl })
  const page = pageHeaders(newNonce())
  expect(page['strict-transport-security']).toBe(expected)
  expect(answerHeaders()['strict-transport-security']).toBe(expected)
  expect(page['content-security-policy']?.includes('upgrade-insecure-requests')).toBe(upgrades)
})

it('allows `eval` in development alone', async () => {
  const { pageHeaders } = await load({ NODE_ENV: 'development' })
  expect(pageHeaders('n')['content-security-policy']).toContain("'unsafe-eval'")
})

it('a page reaches WalletConnect only where the merchant has set it up', async () => {
  const without = (await load({ NODE_ENV: 'production' })).pageHeaders('n')['content-security-policy']
  expect(without).toContain("connect-src 'self';")
  expect(without).toContain("frame-src 'none';")
  const { pageHeaders } = await load({ NODE_ENV: 'production', WALLETCONNECT_PROJECT_ID: '0'.repeat(32) })
  const policy = pageHeaders('n')['content-security-policy']
  expect(policy).toContain(
    "connect-src 'self' wss://relay.walletconnect.org https://verify.walletconnect.org;",
  )
  expect(policy).toContain('frame-src https://verify.walletconnect.org;')
})
