import fs from 'node:fs'
import os from 'node:os'
import { describe, expect, test, vi } from 'vitest'
import { shardCount } from '#lib/deliveries/rules/subject.ts'
import { configure } from '../../test/service.ts'
import { variablesFor } from './env/parts.ts'
import { warningsOf } from './env/warnings.ts'
import { env, readStartSettings, readTracing, toKeys } from './env.ts'
import { describeForOperator } from './operator-error.ts'

const key = `k1:${Buffer.alloc(32, 7).toString('base64')}`
const zeros = `k0:${Buffer.alloc(32).toString('base64')}`
const remote = 'sslmode=verify-full'
const own = { NEXTAUTH_SECRET: 'n'.repeat(32), RAMPART_KEYS: key }

/** Each pair has wrong settings and the line that a person reads. */
const wrong: [given: Record<string, string>, line: RegExp][] = [
  [{ PORT: 'http' }, /^PORT must be a port number\. Example: PORT=3000$/],
  [{ PORT: '70000' }, /^PORT must be 1 to 65535/],
  [{ SANDBOX_PORT: '0' }, /^SANDBOX_PORT must be 1 to 65535/],
  [{ DATABASE_CONNECTIONS: 'many' }, /^DATABASE_CONNECTIONS must be a number/],
  [{ DATABASE_CONNECTIONS: '3' }, /^DATABASE_CONNECTIONS must be 12 to 1000/],
  [
    { DATABASE_CONNECTIONS: '12', PROJECTORS: '1' },
    /^DATABASE_CONNECTIONS must be 15 or more, with PROJECTORS=1/,
  ],
  [
    { ROLE: 'web,worker' },
    /^ROLE must be all, or some of web, receiver, projector, live with commas between them, not worker\. Example: ROLE=receiver,projector$/,
  ],
  [{ ROLE: 'web,' }, /^ROLE must be .*, not empty/],
  [{ ROLE: 'web' }, /^DATABASE_URL is missing: with ROLE set it must be given/],
  [
    { ROLE: 'web', DATABASE_URL: 'postgresql://localhost/x', ...own },
    /^SERVICE_BASE_URL is missing: with ROLE set it must be given/,
  ],
  [{ METRICS_TOKEN: 'short' }, /^METRICS_TOKEN must have at least 32 characters/],
  [{ RAMPART_LOG_TO: 'syslog' }, /^RAMPART_LOG_TO must be files or stdout/],
  [{ RAMPART_COMMIT: 'a b' }, /^RAMPART_COMMIT must be the name of a commit/],
  [{ RAMPART_MACHINE: 'a b' }, /^RAMPART_MACHINE must be a name of/],
  [{ PROJECTORS: '0' }, /^PROJECTORS must be 1 to 64/],
  [{ PROJECTORS: '1.5' }, /^PROJECTORS must be a whole number/],
  [{ PUBLIC_URL: 'dash.example.com' }, /^PUBLIC_URL must be a web address/],
  [{ DATABASE_URL: 'mysql://db', ...own }, /^DATABASE_URL must be a PostgreSQL address/],
  [{ DATABASE_URL: 'postgresql://u:pa#ss@db/x', ...own }, /^DATABASE_URL cannot be read as an address.*%23/],
  [{ DATABASE_URL: 'postgresql://u:p%zz@db/x', ...own }, /^DATABASE_URL cannot be read as an address/],
  [{ DATABASE_URL: 'postgresql://u@db/x?user=%zz', ...own }, /^DATABASE_URL cannot be read as an address/],
  [
    { DATABASE_URL: 'postgresql://u:p%2F@localhost/x?options=-c jit=off', ...own },
    /^DATABASE_URL must not have a blank in it: write a blank as %20\. Example/,
  ],
  [
    { DATABASE_READ_URL: `postgresql://replica/x?${remote}` },
    /^DATABASE_URL is missing: with DATABASE_READ_URL set/,
  ],
  [{ PUBLIC_URL: 'http://dash.example.com' }, /^PUBLIC_URL must be https, since it is on another machine/],
  [
    { SERVICE_BASE_URL: 'http://api.example.com', SERVICE_API_KEY: 'key', ...own },
    /^SERVICE_BASE_URL must be https/,
  ],
  ...['SERVICE_BASE_URL', 'PUBLIC_URL', 'OIDC_ISSUER'].flatMap((name) =>
    ['?x=1', '#a', '/#'].map((end): [Record<string, string>, RegExp] => [
      { [name]: `https://api.example.com${end}` },
      new RegExp(`^${name} must not have a \\? or # `, 'm'),
    ]),
  ),
  ...['SERVICE_BASE_URL', 'PUBLIC_URL', 'OIDC_ISSUER', 'AUDIT_HEAD_URL'].flatMap((name) =>
    ['user:pw', 'user', ':pw'].map((who): [Record<string, string>, RegExp] => [
      { [name]: `https://${who}@api.example.com` },
      new RegExp(`^${name} must not have a user or a password\\. Example`, 'm'),
    ]),
  ),
  [{ SERVICE_BASE_URL: 'https://api.example.com/(x)|y' }, /^SERVICE_BASE_URL must have a path of/],
  [{ SERVICE_BASE_URL: 'https://api.example.com/%zz' }, /^SERVICE_BASE_URL must have a path of/],
  [{ SERVICE_BASE_URL: 'https://a(x).example.com' }, /^SERVICE_BASE_URL must have a host of/],
  [{ AUDIT_HEAD_URL: 'http://notary.example.com' }, /^AUDIT_HEAD_URL must be https/],
  [
    { DATABASE_URL: 'postgresql://u@db.example.com/x', ...own },
    /^DATABASE_URL must use TLS.* Example: .*\?sslmode=verify-full$/,
  ],
  [{ DATABASE_URL: 'postgresql://u@10.0.0.5/x?sslmode=prefer', ...own }, /^DATABASE_URL must use TLS/],
  [{ DATABASE_URL: 'postgresql://u@localhost/x?host=db', ...own }, /^DATABASE_URL must use TLS/],
  [{ DATABASE_URL: 'postgresql://u@db/x?ssl=true&sslmode=disable', ...own }, /^DATABASE_URL must use TLS/],
  [{ DATABASE_URL: 'postgresql://u@db/x?host=', ...own }, /^DATABASE_URL must use TLS/],
  [{ DATABASE_URL: 'postgresql://u@db/x?host=localhost&host=db', ...own }, /^DATABASE_URL must use TLS/],
  [{ DATABASE_URL: 'postgresql://u@/x?host=db', ...own }, /^DATABASE_URL must use TLS/],
  [{ DATABASE_URL: 'postgresql://u:p@a:5432,b:5432/x', ...own }, /^DATABASE_URL must name one host/],
  [{ DATABASE_URL: `postgresql://a,b/x?${remote}`, ...own }, /^DATABASE_URL must name one host/],
  [{ DATABASE_URL: `postgresql://u@/x?host=a%2Cb&${remote}`, ...own }, /^DATABASE_URL must name one host/],
  [
    { DATABASE_URL: `postgresql://u:p,q@db/x?schema=app&${remote}`, ...own },
    /^DATABASE_URL must not name a schema/,
  ],
  [{ DATABASE_DIRECT_URL: 'postgresql://db/x' }, /^DATABASE_DIRECT_URL must use TLS/],
  [{ DATABASE_MIGRATE_URL: 'postgresql://db/x' }, /^DATABASE_MIGRATE_URL must use TLS/],
  [{ DATABASE_READ_URL: 'postgresql://replica/x' }, /^DATABASE_READ_URL must use TLS/],
  [{ TRUSTED_PROXIES: 'nginx' }, /^TRUSTED_PROXIES must be addresses or networks/],
  [{ TRUSTED_PROXIES: '10.0.0.0/33' }, /^TRUSTED_PROXIES must be addresses .*=127\.0\.0\.1,10\.0\.0\.5/],
  [
    { LISTEN: 'everywhere' },
    /^LISTEN must be an IP address of this machine, 0\.0\.0\.0 for every one\. Example: LISTEN=0\.0\.0\.0/,
  ],
  [{ PUBLIC_URL: 'https://example.com/rampart' }, /^PUBLIC_URL must not have a path/],
  [
    { SERVICE_BASE_URL: 'https://api.example.com', SERVICE_API_KEY: 'ключ', ...own },
    /^SERVICE_API_KEY must be printable/,
  ],
  [{ DATABASE_DIRECT_URL: 'db' }, /^DATABASE_DIRECT_URL must be a PostgreSQL address/],
  [{ DATABASE_MIGRATE_URL: 'db' }, /^DATABASE_MIGRATE_URL must be a PostgreSQL address/],
  [{ DATABASE_READ_URL: 'db' }, /^DATABASE_READ_URL must be a PostgreSQL address/],
  [{ SANDBOX_DATABASE_URL: 'db' }, /^SANDBOX_DATABASE_URL must be a PostgreSQL address/],
  [{ SANDBOX_API_KEY: 'short' }, /^SANDBOX_API_KEY must have at least 16 characters/],
  [{ SERVICE_BASE_URL: 'ftp://api', ...own }, /^SERVICE_BASE_URL must be a web address/],
  [
    { SERVICE_BASE_URL: 'https://api.example.com', ...own },
    /^SERVICE_API_KEY is missing: with SERVICE_BASE_URL set/,
  ],
  [
    { DATABASE_URL: `postgresql://db/x?${remote}`, RAMPART_KEYS: key },
    /^NEXTAUTH_SECRET is missing: with DATABASE_URL set/,
  ],
  [
    { DATABASE_URL: `postgresql://db/x?${remote}`, NEXTAUTH_SECRET: own.NEXTAUTH_SECRET },
    /^RAMPART_KEYS is missing/,
  ],
  [{ NEXTAUTH_SECRET: 'short' }, /^NEXTAUTH_SECRET must have at least 32 characters/],
  [{ NEXTAUTH_SECRET: `${own.NEXTAUTH_SECRET},short` }, /^NEXTAUTH_SECRET must have .* each of a list/],
  [{ NEXTAUTH_SECRET: `${own.NEXTAUTH_SECRET},` }, /^NEXTAUTH_SECRET must have .* each of a list/],
  [
    { NEXTAUTH_SECRET: `${own.NEXTAUTH_SECRET},MADE-ONCE-AND-KEPT-32-CHARACTERS-OR-MORE` },
    /^NEXTAUTH_SECRET must be a secret of your own: .* example/,
  ],
  [
    { METRICS_TOKEN: 'MADE-ONCE-FOR-PROMETHEUS-32-CHARACTERS-OR-MORE' },
    /^METRICS_TOKEN must be a secret of your own: .* example/,
  ],
  [{ RAMPART_KEYS: 'k1:short' }, /^RAMPART_KEYS must be id:key/],
  [{ RAMPART_KEYS: zeros }, /^RAMPART_KEYS must begin with a key of your own: 32 bytes of zeros/],
  [
    { RAMPART_KEYS: `${key},k0:${'B'.repeat(43)}=,${key}` },
    /^RAMPART_KEYS must have another id for each key: .* Example: RAMPART_KEYS=k1:[^\n]*$/,
  ],
  [{ STAFF_IDLE_MINUTES: '0' }, /^STAFF_IDLE_MINUTES must be 5 to 43200 minutes\. Example/],
  [{ USER_SESSION_MINUTES: 'day' }, /^USER_SESSION_MINUTES must be a number of minutes/],
  [{ SMTP_URL: 'mail.example.com' }, /^SMTP_URL must be smtp:\/\/… or smtps:\/\/…/],
  [{ SMTP_URL: 'smtp://mail.example.com' }, /^MAIL_FROM is missing: with SMTP_URL set/],
  [{ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'me' }, /^MAIL_FROM must be an e-mail address/],
  [{ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'Rampart <r@demo.test' }, /^MAIL_FROM must be/],
  [{ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'a@demo.test, b@demo.test' }, /^MAIL_FROM must be/],
  [
    { SMTP_URL: 'smtp://mail.example.com?requireTLS=false', MAIL_FROM: 'r@demo.test' },
    /^SMTP_URL must not have requireTLS: .* by TLS .*\. Example: SMTP_URL=/,
  ],
  [{ STAFF_SIGN_IN: 'code' }, /^STAFF_SIGN_IN must be any or passkey-or-sso/],
  [{ OIDC_ISSUER: 'http://login.example.com' }, /^OIDC_ISSUER must be https, since it is on another machine/],
  [{ OIDC_ISSUER: 'https://login.example.com' }, /^OIDC_CLIENT_ID is missing: with OIDC_ISSUER set/],
  [{ OIDC_ROLE_CLAIM: 'groups' }, /^OIDC_ROLE_MAP is missing: with OIDC_ROLE_CLAIM set/],
  [{ OIDC_ROLE_CLAIM: 'groups', OIDC_ROLE_MAP: 'a=boss' }, /^OIDC_ROLE_MAP must be value=role .*compliance/],
  ...[
    'Ops, Lisbon=support',
    'CN=admin,OU=groups,DC=example=support',
    'a=admin,a=support',
    '=admin',
    '{"a":"boss"}',
    '{"a":"admin"',
    '{" ":"admin"}',
    '{}',
    '["a"]',
  ].map((map): [Record<string, string>, RegExp] => [
    { OIDC_ROLE_CLAIM: 'groups', OIDC_ROLE_MAP: map },
    /^OIDC_ROLE_MAP must be value=role .*a comma.* JSON.*\{"Ops, Lisbon":"support"\}/,
  ]),
  [{ OIDC_SCOPE: 'profile' }, /^OIDC_SCOPE must hold openid/],
  [{ RAMPART_ADMINS: '-'.repeat(36) }, /^RAMPART_ADMINS must be user uuids/],
  [{ WALLETCONNECT_PROJECT_ID: 'rampart' }, /^WALLETCONNECT_PROJECT_ID must be 32 hexadecimal digits/],
  [{ RAMPART_ADMINS: 'ana@demo.test' }, /^RAMPART_ADMINS must be user uuids/],
  [{ SERVICE_API_KEY: 'key' }, /^SERVICE_BASE_URL is missing: with SERVICE_API_KEY set/],
  [
    { SERVICE_BASE_URL: 'https://api.example.com', SERVICE_API_KEY: 'key', ...own },
    /^PUBLIC_URL is missing: with SERVICE_BASE_URL set/,
  ],
  [{ MAIL_FROM: 'a@example.com' }, /^SMTP_URL is missing: with MAIL_FROM set/],
  [{ OIDC_CLIENT_ID: 'rampart' }, /^OIDC_ISSUER is missing: with OIDC_CLIENT_ID set/],
  [{ OIDC_CLIENT_SECRET: 'secret' }, /^OIDC_ISSUER is missing: with OIDC_CLIENT_SECRET set/],
  [{ OIDC_NAME: 'Login' }, /^OIDC_ISSUER is missing: with OIDC_NAME set/],
  [{ OIDC_SCOPE: 'openid' }, /^OIDC_ISSUER is missing: with OIDC_SCOPE set/],
  [
    { OIDC_ROLE_CLAIM: 'groups', OIDC_ROLE_MAP: 'a=admin' },
    /^OIDC_ISSUER is missing: with OIDC_ROLE_CLAIM set/,
  ],
  [
    { STAFF_IDLE_MINUTES: '90', STAFF_SESSION_MINUTES: '60' },
    /^STAFF_IDLE_MINUTES must be at most STAFF_SESSION_MINUTES, which is 60\./,
  ],
  [
    { STAFF_IDLE_MINUTES: '800' },
    /^STAFF_IDLE_MINUTES must be at most STAFF_SESSION_MINUTES, which is 720\./,
  ],
  [{ USER_IDLE_MINUTES: '2000' }, /^USER_IDLE_MINUTES must be at most USER_SESSION_MINUTES, which is 1440\./],
]

test.each([
  ['rampart-admins=admin, helpdesk=support', ['rampart-admins', 'helpdesk']],
  ['team=ops=admin', ['team=ops']],
  ['{"Ops, Lisbon":"support","CN=Admins,OU=Groups":"admin"}', ['Ops, Lisbon', 'CN=Admins,OU=Groups']],
])('OIDC_ROLE_MAP=%s names %j', (map, names) => {
  configure({
    OIDC_ISSUER: 'https://login.example.com',
    OIDC_CLIENT_ID: 'rampart',
    OIDC_ROLE_CLAIM: 'groups',
    OIDC_ROLE_MAP: map,
  })
  expect([...(env().singleSignOn?.roleClaim?.roles.keys() ?? [])]).toEqual(names)
})

test('every role map in docs/identity-providers.md is read', () => {
  const page = fs.readFileSync('docs/identity-providers.md', 'utf8')
  const maps = [...page.matchAll(/^ *OIDC_ROLE_MAP=(.*)$/gm)].map(([, map = '']) => map)
  expect(maps.length).toBeGreaterThan(5)
  for (const map of maps)
    expect(() =>
      readStartSettings({
        NODE_ENV: 'test',
        OIDC_ISSUER: 'https://a.example',
        OIDC_CLIENT_ID: 'a',
        OIDC_ROLE_CLAIM: 'a',
        OIDC_ROLE_MAP: map,
      }),
    ).not.toThrow()
})

/** These settings are allowed and probably wrong. */
const doubtful: [given: Record<string, string>, lines: (string | RegExp)[]][] = [
  [{}, []],
  [
    { DATABSE_URL: 'x' },
    ['DATABSE_URL is no setting of Rampart and has no effect. Did you mean DATABASE_URL?'],
  ],
  [{ DATABASE_DIRECTURL: 'x' }, [/Did you mean DATABASE_DIRECT_URL\?$/]],
  [{ DATABASEURL: 'x' }, [/Did you mean DATABASE_URL\?$/]],
  [{ STAFF_SIGNIN: 'any' }, [/Did you mean STAFF_SIGN_IN\?$/]],
  [{ RAMPART_KEY: 'x' }, [/Did you mean RAMPART_KEYS\?$/]],
  [{ rampart_keys: 'x' }, [/^rampart_keys is no .*Did you mean RAMPART_KEYS\?$/]],
  [{ RAMPART_PUBLIC_URL: 'x' }, [/Did you mean PUBLIC_URL\?$/]],
  [{ RAMPART_PORT: '80' }, [/Did you mean PORT\?$/]],
  [{ PUBLIC_URI: 'x' }, [/Did you mean PUBLIC_URL\?$/]],
  [{ SERVICE_APIKEY: 'x' }, [/Did you mean SERVICE_API_KEY\?$/]],
  [{ SERVICE_URL: 'x' }, [/^SERVICE_URL is no setting/]],
  [{ OIDC_CLIENTID: 'x' }, [/Did you mean OIDC_CLIENT_ID\?$/]],
  [{ USER_IDLE: '5' }, [/^USER_IDLE is no setting/]],
  [{ SMTP_PASSWORD: 'x' }, [/^SMTP_PASSWORD is no setting/]],
  [{ MAILFROM: 'x' }, [/Did you mean MAIL_FROM\?$/]],
  [{ PROJECTOR: '2' }, [/Did you mean PROJECTORS\?$/]],
  [{ TRUSTED_PROXY: 'x' }, [/Did you mean TRUSTED_PROXIES\?$/]],
  // Other programs set these, and Kubernetes does beside a service called rampart.
  [{ PATH: '/bin', HOME: '/', USER: 'me', MAIL: '/var/mail', PORTS: '1', HTTP_URL: 'x', SSH_PORT: '22' }, []],
  [
    { RAMPART_SERVICE_HOST: '10.0.0.1', RAMPART_SERVICE_PORT_HTTP: '80', RAMPART_PORT: 'tcp://10.0.0.1:80' },
    [],
  ],
  [{ RAMPART_PORT_80_TCP_ADDR: '10.0.0.1', DATABASE_PORT_5432_TCP: 'tcp://10.0.0.2:5432' }, []],
  [{ NEXTAUTH_URL: 'https://dash.example.com', RAMPART_LISTEN: 'loopback' }, []],
  [
    { DATABASE_URL: 'postgresql://u@db/x?sslmode=require' },
    [/^DATABASE_URL: sslmode=require is taken as verify-full\./],
  ],
  [
    { DATABASE_READ_URL: 'postgresql://u@db/x?application_name=b&sslmode=verify-ca&options=d' },
    [/^DATABASE_READ_URL: sslmode=verify-ca/],
  ],
  [{ DATABASE_URL: 'postgresql://u@db/x?uselibpqcompat=true&sslmode=require' }, []],
  [{ DATABASE_URL: 'postgresql://u@db/x?sslmode=verify-full' }, []],
  [{ DATABASE_URL: 'postgresql://u@db/x?sslmode=require ' }, [/^DATABASE_URL: sslmode=require is taken/]],
  [
    {
      DATABASE_URL: 'postgresql://u@/x?host=/run/postgresql&schema=public&pgbouncer=true&connection_limit=5',
    },
    [/^DATABASE_URL: Rampart knows no pgbouncer, connection_limit in an address; without effect\.$/],
  ],
  [
    { SERVICE_BASE_URL: 'http://localhost:9/x', SERVICE_API_KEY: 'k', PORT: '81', ...own },
    [/^PUBLIC_URL is missing: only this machine reaches http:\/\/localhost:81/],
  ],
  [
    { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_EXTRA_CA_CERTS: '/etc/ssl/ca.pem' },
    [/^NODE_TLS_REJECT_UNAUTHORIZED turns off the check of every certificate\..* NODE_EXTRA_CA_CERTS/],
  ],
  [{ NODE_TLS_REJECT_UNAUTHORIZED: '1' }, []],
  [
    { SERVICE_BASE_URL: 'x', PUBLIC_URL: 'https://x', SANDBOX_PORT: '81' },
    ['SANDBOX_PORT has no effect, since SERVICE_BASE_URL names another service.'],
  ],
]

describe('the settings of npm start', () => {
  test('are all optional, and an empty variable counts as missing', () => {
    expect(readStartSettings({ NODE_ENV: 'test', PORT: '' })).toMatchObject({
      port: 3000,
      sandboxPort: 4010,
      dataDir: '.data',
    })
  })

  test.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [8, 4],
    [2 * shardCount, shardCount],
    [2 * shardCount + 2, shardCount],
    [192, shardCount],
  ])('start, on %i cores, %i projectors unless they say how many', (cores, expected) => {
    const machine = vi.spyOn(os, 'availableParallelism').mockReturnValue(cores)
    expect(readStartSettings({ NODE_ENV: 'test' }).projectors).toBe(expected)
    expect(readStartSettings({ NODE_ENV: 'test', PROJECTORS: '3' }).projectors).toBe(3)
    machine.mockRestore()
  })

  test('do everything, unless roles are named; only that of the projectors counts them', () => {
    const settings = {
      NODE_ENV: 'test',
      DATABASE_URL: 'postgresql://localhost/x',
      SERVICE_BASE_URL: 'http://localhost:9/x',
      SERVICE_API_KEY: 'key',
      PROJECTORS: '3',
      ...own,
    } as const
    const all = ['web', 'receiver', 'projector', 'live']
    expect(readStartSettings(settings)).toMatchObject({ roles: all, projectors: 3 })
    expect(readStartSettings({ ...settings, ROLE: 'web,all' })).toMatchObject({ roles: all, projectors: 3 })
    expect(readStartSettings({ ...settings, ROLE: 'live, web' })).toMatchObject({
      roles: ['web', 'live'],
      projectors: 0,
    })
    expect(readStartSettings({ ...settings, ROLE: 'projector' })).toMatchObject({ projectors: 3 })
  })

  test.each(wrong)('%o is refused with a line that names the setting and gives an example', (given, line) => {
    expect(() => readStartSettings({ NODE_ENV: 'test', ...given })).toThrow(line)
  })

  test('name all that is wrong or missing at once, and each setting once', () => {
    const service = { SERVICE_BASE_URL: 'https://api.example.com' }
    const namesIn = (given: Record<string, string>) => {
      try {
        return readStartSettings({ NODE_ENV: 'test', ...given }).port
      } catch (error) {
        return String(describeForOperator(error))
          .split('\n')
          .map((line) => line.split(' ')[0])
      }
    }
    expect(namesIn(service)).toEqual(['NEXTAUTH_SECRET', 'RAMPART_KEYS', 'SERVICE_API_KEY', 'PUBLIC_URL'])
    expect(namesIn({ ...service, PORT: 'http', RAMPART_KEYS: 'k1:short', ROLE: 'web' })).toEqual([
      'PORT',
      'RAMPART_KEYS',
      'NEXTAUTH_SECRET',
      'SERVICE_API_KEY',
      'DATABASE_URL',
      'PUBLIC_URL',
    ])
  })

  test.each(doubtful)('%o gives these warnings and starts', (given, lines) => {
    expect(warningsOf({ NODE_ENV: 'test', ...given })).toEqual(
      lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
    )
  })

  test('a session may be shorter than the default idle time, and a TLS mode has one name', () => {
    expect(readStartSettings({ NODE_ENV: 'test', STAFF_SESSION_MINUTES: '20' }).port).toBe(3000)
    const url = 'postgresql://u:p%23@db/x?sslmode=require'
    expect(readStartSettings({ NODE_ENV: 'test', DATABASE_URL: url, ...own }).databaseUrl).toBe(
      'postgresql://u:p%23@db/x?sslmode=verify-full',
    )
    expect(readStartSettings({ NODE_ENV: 'test', DATABASE_URL: ` ${url} `, ...own }).databaseUrl).toBe(
      'postgresql://u:p%23@db/x?sslmode=verify-full',
    )
    const compatible = 'postgresql://u@db/x?uselibpqcompat=true&sslmode=require'
    expect(readStartSettings({ NODE_ENV: 'test', DATABASE_URL: compatible, ...own }).databaseUrl).toBe(
      compatible,
    )
  })

  test('never show a secret in their messages', () => {
    expect(
      warningsOf({ NODE_ENV: 'test', RAMPART_KEY: 'k1:secret', DATABSE_URL: 'u:secret@db' }).join(),
    ).not.toContain('secret')
    const secret = 'postgres-password'
    expect(() =>
      readStartSettings({ NODE_ENV: 'test', DATABASE_URL: `mysql://u:${secret}@db`, ...own }),
    ).toThrow(expect.not.stringContaining(secret))
  })
})

test.each([
  ['authorization=Bearer%20TOKEN,x-tenant=a', { authorization: 'Bearer TOKEN', 'x-tenant': 'a' }],
  ['Authorization=Basic%20MTIzOnRva2Vu==', { Authorization: 'Basic MTIzOnRva2Vu==' }],
  ['a=b=c', { a: 'b=c' }],
  ['a=b,', { a: 'b' }],
  [' a = b , ,c=d ', { a: 'b', c: 'd' }],
])('OTEL_EXPORTER_OTLP_HEADERS=%s is read', (headers, expected) =>
  expect(
    readTracing({
      NODE_ENV: 'test',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS: headers,
    })?.headers,
  ).toEqual(expected),
)

test.each(['a=%zz', 'a=%', 'a', 'a=', '=b', 'a=b,c', 'a b=c', 'a=b%0Ac', 'a=%E2%82%AC'])(
  'OTEL_EXPORTER_OTLP_HEADERS=%s is refused by name',
  (headers) =>
    expect(() => readTracing({ NODE_ENV: 'test', OTEL_EXPORTER_OTLP_HEADERS: headers })).toThrow(
      /^OTEL_EXPORTER_OTLP_HEADERS must have the form .* Example/,
    ),
)

test('a key of zeros is read behind one that replaces it', () => {
  expect(readStartSettings({ NODE_ENV: 'test', RAMPART_KEYS: `${key},${zeros}` }).keys).toBe(
    `${key},${zeros}`,
  )
})

test('keys are read newest first', () => {
  const [first, second] = toKeys(`${key},k0:${Buffer.alloc(32, 1).toString('base64')}`)
  expect([first.id, second?.id, first.bytes.length]).toEqual(['k1', 'k0', 32])
})

test.each([
  ['live', {}],
  ['projector', {}],
  ['maintenance', { DATABASE_MIGRATE_URL: 'secret' }],
] as const)('the %s process is given what it needs and no secret of another', (part, own) => {
  const names = [
    'DATABASE_MIGRATE_URL',
    'SERVICE_API_KEY',
    'NEXTAUTH_SECRET',
    'RAMPART_KEYS',
    'SMTP_URL',
    'OIDC_CLIENT_SECRET',
    'METRICS_TOKEN',
  ]
  const variables = Object.fromEntries(names.map((name) => [name, 'secret']))
  const given = variablesFor(part, {
    ...variables,
    NODE_ENV: 'production',
    DATABASE_URL: 'x',
    PATH: '/bin',
  })
  expect(given).toEqual({
    NODE_ENV: 'production',
    DATABASE_URL: 'x',
    PATH: '/bin',
    RAMPART_PART: part,
    ...own,
  })
})

test.each([
  [{ PUBLIC_URL: 'https://dash.example.com' }, '127.0.0.1'],
  [{ PUBLIC_URL: 'http://localhost:3000' }, '127.0.0.1'],
  [{ PUBLIC_URL: 'http://[::1]:3000' }, '::1'],
  [{ PUBLIC_URL: 'https://dash.example.com', LISTEN: '0.0.0.0' }, '0.0.0.0'],
])('with %j the server listens at %s', (given, listen) => {
  configure(given)
  expect(env().listen).toBe(listen)
})
