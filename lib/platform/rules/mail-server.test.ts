import { expect, test } from 'vitest'
import { readMailServer } from './mail-server.ts'

test.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, isTlsFromStart: false, isLocal: false }],
  ['smtps://mail.example.com', { port: 465, isTlsFromStart: true }],
  ['smtp://localhost:25', { host: 'localhost', port: 25, isLocal: true, ignoresTls: false, login: null }],
  ['smtp://127.0.0.1:25?ignoreTLS=true', { isLocal: true, ignoresTls: true }],
  ['smtp://[::1]:25/', { host: '::1', isLocal: true, place: '[::1]:25' }],
  ['smtp://ra%40mp:p%25%23%2F@mail.example.com', { login: { user: 'ra@mp', password: 'p%#/' } }],
  [
    'smtp://u:p@mail.example.com:2525?name=dash.example.com',
    { place: 'mail.example.com:2525', ownName: 'dash.example.com' },
  ],
])('reads %s', (text, read) => expect(readMailServer(text)).toMatchObject(read))

test.each([
  'requireTLS=false',
  'requireTLS=0',
  'ignoreTLS=true',
  'opportunisticTLS=true',
  'secure=false',
  'tls.rejectUnauthorized=false',
  'tls.minVersion=TLSv1',
  'tls.servername=elsewhere.test',
  'proxy=http://elsewhere.test',
  'name=dash.example.com&requireTLS=false',
  'REQUIRETLS=false',
  'logger=true',
  'name=a%0D%0AMAIL',
])('refuses ?%s towards another machine, in a line', (query) => {
  expect(readMailServer(`smtp://mail.example.com:25?${query}`)).toMatch(
    /^must (not have \S+: |give a host )[^\n]*$/,
  )
})

test.each([
  ['mail.example.com', /smtp:\/\//],
  ['http://mail.example.com', /smtp:\/\//],
  ['smtp://:587', /host|cannot be read/],
  ['smtp://mail.example.com/inbox', /cannot be read/],
  ['smtp://u:pa#ss@mail.example.com', /%23/],
  ['smtp://user@mail.example.com', /a user and a password/],
  ['smtp://user:100%@mail.example.com', /%25/],
])('refuses %s', (text, line) => expect(readMailServer(text)).toMatch(line))
