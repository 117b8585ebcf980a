import { describe, expect, it } from 'vitest'
import { readEnv } from './env.ts'

const given = { NODE_ENV: 'test' as const, SANDBOX_DATABASE_URL: 'postgres://localhost/sandbox' }

describe('the settings', () => {
  it('have defaults for all but the database', () => {
    expect(readEnv(given)).toMatchObject({
      port: 4010,
      logLevel: 'info',
      options: { deliveryTimeoutMs: 10_000 },
    })
  })

  it.each([
    [{ SANDBOX_PORT: 'http' }, 'SANDBOX_PORT is not valid', 'SANDBOX_PORT=4010'],
    [{ SANDBOX_DATABASE_URL: '' }, 'SANDBOX_DATABASE_URL is missing', 'postgres://'],
    [{ SANDBOX_DATABASE_URL: 'mysql://x' }, 'SANDBOX_DATABASE_URL is not valid', 'postgres://'],
    [{ SANDBOX_API_KEY: 'short' }, 'SANDBOX_API_KEY is not valid', 'SANDBOX_API_KEY='],
    [
      { SANDBOX_PUBLIC_URL: 'localhost' },
      'SANDBOX_PUBLIC_URL is not valid',
      'http://localhost:4010/onboarding',
    ],
    [{ SANDBOX_LISTEN_ON: 'everywhere' }, 'SANDBOX_LISTEN_ON is not valid', '=0.0.0.0'],
    [{ SANDBOX_CONTROL_HOSTS: 'http://a' }, 'SANDBOX_CONTROL_HOSTS is not valid', 'sandbox.test:4010'],
    [{ SANDBOX_HTTP_HOSTS: 'http://app:8080' }, 'SANDBOX_HTTP_HOSTS is not valid', 'host.docker.internal'],
    [{ SANDBOX_HTTP_HOSTS: 'app, other' }, 'SANDBOX_HTTP_HOSTS is not valid', 'host.docker.internal'],
    [{ SANDBOX_HTTP_HOSTS: 'app:http' }, 'SANDBOX_HTTP_HOSTS is not valid', 'host.docker.internal'],
    [{ SANDBOX_API_KEY: 'fifteen-letters' }, 'SANDBOX_API_KEY is not valid', '16'],
    [{ SANDBOX_API_KEY: 'sixteen letters 1' }, 'SANDBOX_API_KEY is not valid', 'without blanks'],
    [{ SANDBOX_PORT: ' ' }, 'SANDBOX_PORT is not valid', 'SANDBOX_PORT=4010'],
    [{ SANDBOX_SEED: ' ' }, 'SANDBOX_SEED is not valid', '=7'],
    [{ SANDBOX_SEED: '1e3' }, 'SANDBOX_SEED is not valid', '=7'],
    [{ SANDBOX_SEED: '4294967296' }, 'SANDBOX_SEED is not valid', '=7'],
    [{ SANDBOX_AUTO_DISABLE_AFTER: '\t' }, 'SANDBOX_AUTO_DISABLE_AFTER is not valid', '=20'],
    [{ SANDBOX_SEED: 'seven' }, 'SANDBOX_SEED is not valid', '=7'],
    [{ SANDBOX_AUTO_DISABLE_AFTER: 'never' }, 'SANDBOX_AUTO_DISABLE_AFTER is not valid', '=20'],
  ])('say which one is wrong and what would be right: %j', (changes, problem, example) => {
    expect(() => readEnv({ ...given, ...changes })).toThrow(problem)
    expect(() => readEnv({ ...given, ...changes })).toThrow(example)
  })

  it('repeat no secret when they complain', () => {
    expect(() => readEnv({ ...given, SANDBOX_API_KEY: 'short' })).toThrow(/^(?!.*short)/)
  })
})
