import { expect, test } from 'vitest'
import { isMailbox, mailboxKey, parseSender } from './mail-address.ts'

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
