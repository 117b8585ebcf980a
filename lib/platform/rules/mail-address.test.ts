import { expect, test } from 'vitest'
import { isMailbox, mailboxKey, parseSender, presentRecipients, readMailServer } from './mail-address.ts'

test.each(['ana@demo.test', "o'hara@demo.test", 'josé@demo.test', 'ana@xn--bcher-kva.example'])(
  'takes %s as one mailbox',
  (text) => expect(isMailbox(text)).toBe(true),
)

test.each([
  'a@demo.test,b@demo.test',
  'a@demo.test, b@demo.test',
  'a@demo.test;b@demo.test',
  'a@demo.test b@demo.test',
  'Ana <a@demo.test>',
  '<a@demo.test>',
  'team: a@demo.test, b@demo.test;',
  '"a@demo.test,b"@demo.test',
  '"b@elsewhere.test x"@demo.test',
  'a@demo.test\r\nBcc: b@demo.test',
  'a@demo.test\n',
  `${'a'.repeat(64)}@${'b.'.repeat(100)}test`,
  'ana',
  '',
])('takes %j for no mailbox', (text) => expect(isMailbox(text)).toBe(false))

test.each([
  ['the member who stays at it', 'A@demo.test', ['ana'], ['ana']],
  ['all members who stay at it, and none who moved', 'a@demo.test', ['bo', 'ana', 'cy'], ['ana', 'cy']],
  ['the member who moved, and nobody who has the old address now', 'old@demo.test', ['bo'], ['bo']],
  ['the first of those who moved', 'gone@demo.test', ['dan', 'bo'], ['bo']],
  ['whoever has its address when its members are gone', 'b@demo.test', ['gone'], ['bo']],
  ['nobody when its members and its address are gone', 'gone@demo.test', ['gone'], []],
])('a mail reaches %s', (_whom, recipient, ids, reached) => {
  const members = Object.entries({
    ana: 'a@demo.test',
    bo: 'b@demo.test',
    cy: 'A@Demo.test',
    dan: 'd@demo.test',
    eve: 'old@demo.test',
  }).map(([id, address]) => ({ id, address }))
  expect(presentRecipients(recipient, ids, members).map(({ id }) => id)).toEqual(reached)
})

test('recognises two spellings of one mailbox', () => {
  expect(mailboxKey('Ana@Demo.TEST')).toBe(mailboxKey('ana@demo.test'))
  expect(mailboxKey('jose\u0301@demo.test')).toBe(mailboxKey('jos\u00e9@demo.test'))
})

test.each([
  ['r@demo.test', '', 'r@demo.test'],
  ['<r@demo.test>', '', 'r@demo.test'],
  ['Rampart <r@demo.test>', 'Rampart', 'r@demo.test'],
  ['Acme: Payments <r@demo.test>', 'Acme: Payments', 'r@demo.test'],
  ['Team; X <r@demo.test>', 'Team; X', 'r@demo.test'],
  ['Acme, Inc. <r@demo.test>', 'Acme, Inc.', 'r@demo.test'],
  ['"Acme \\"A\\"" <r@demo.test>', 'Acme "A"', 'r@demo.test'],
  ['Zahlungen Müller <r@demo.test>', 'Zahlungen Müller', 'r@demo.test'],
])('reads the sender %s', (text, name, address) => expect(parseSender(text)).toEqual({ name, address }))

test.each([
  'Rampart <r@demo.test',
  'Rampart r@demo.test>',
  'r@demo.test>',
  'Rampart',
  'a@demo.test, b@demo.test',
  'a@demo.test, Rampart <b@demo.test>',
  'Rampart <a@demo.test>, <b@demo.test>',
  'Rampart <<r@demo.test>>',
  '"Rampart <r@demo.test>',
  'Team: a@demo.test;',
  'Ramp\r\nBcc: b@demo.test <r@demo.test>',
  'Ramp\u202eart <r@demo.test>',
  '',
])('refuses the sender %j', (text) => expect(parseSender(text)).toBeNull())

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
