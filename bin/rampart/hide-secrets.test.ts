import { expect, it } from 'vitest'
import { hideSecrets } from './hide-secrets.ts'

const variables = {
  DATABASE_URL: 'postgresql://app:p%40ss%2Fword@db.example.com/rampart?sslmode=verify-full',
  DATABASE_READ_URL: 'postgresql://app@replica.example.com/rampart?password=of-the-replica',
  SMTP_URL: 'smtp://user:mail#password@mail.example.com',
  SERVICE_API_KEY: 'key-of-the-service',
  NEXTAUTH_SECRET: 'a-newer-secret-of-next,an-older-secret-of-next',
  RAMPART_KEYS: 'k2:bmV3ZXIga2V5IG9mIHJhbXBhcnQ=,k1:b2xkZXIga2V5IG9mIHJhbXBhcnQ=',
  OIDC_CLIENT_SECRET: 'of-the-client',
  METRICS_TOKEN: 'of-prometheus',
}

it.each([
  'p@ss/word',
  'p%40ss%2Fword',
  'of-the-replica',
  'mail#password',
  'key-of-the-service',
  'a-newer-secret-of-next',
  'an-older-secret-of-next',
  'bmV3ZXIga2V5IG9mIHJhbXBhcnQ=',
  'b2xkZXIga2V5IG9mIHJhbXBhcnQ=',
  'of-the-client',
  'of-prometheus',
])('an error that repeats %s is shown without it', (secret) => {
  expect(hideSecrets({ NODE_ENV: 'production', ...variables })(`refused: ${secret}.`)).toBe('refused: ….')
})

it('keeps what is no secret', () => {
  const text = 'the database at db.example.com/rampart does not answer'
  expect(hideSecrets({ NODE_ENV: 'production', ...variables })(text)).toBe(text)
})
