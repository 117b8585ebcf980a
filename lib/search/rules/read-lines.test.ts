import { expect, it } from 'vitest'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { readLines } from './read-lines.ts'

const one = '2046967a-e17d-45b7-9cc9-a4c1b2ad1329'
const [german, spanish] = ['DE89 3704 0044 0532 0130 00', 'ES9121000418450200051332']
const two = '3f2c1111-0000-4000-8000-00000000d0b1'

it.each([
  ['an id', one],
  [
    'a mail with one id in it',
    `Hello,\nwhere is my payment ${one}?\nThank you, and best regards from us all\nAna`,
  ],
  ['a link', `https://tickets.example/4711?transaction=${one}&tab=2`],
  ['an id that stands twice in a line', `${one} https://tickets.example/${one.toUpperCase()}`],
  ['an IBAN in groups', 'ES91 2100 0418 4502 0005 1332'],
  ['an e-mail that begins with an id', `${one}@example.org`],
  ['an e-mail that begins with an IBAN', `${spanish}@example.org`],
  ['an IBAN that was wrapped', 'DE89 3704 0044\n0532 0130 00'],
  ['an IBAN that was wrapped in a mail', 'Ana Lima\n> IBAN: DE89 3704 0044\r\n> 0532 0130 00\nBIC: COBADEFF'],
  ['an id that was wrapped', `${one.slice(0, 19)}\n${one.slice(19)}`],
  ['an id that was wrapped in a mail', `> ${one.slice(0, 30)}\r\n> ${one.slice(30)}`],
  ['a name', 'Ana García'],
  ['nothing', ' \n '],
  ['a hash with and without its 0x', `0x${'371fa7c5'.repeat(8)} ${'371fa7c5'.repeat(8)}`],
  ['a hash that was broken', `0x${'371fa7c5'.repeat(5)} ${'371fa7c5'.repeat(3)}`],
  ['the same IBAN in two forms', `${german} ${german.replaceAll(' ', '')}`],
  ['an account number in groups of four', '4711 4712 4713'],
  ['an account number in two groups', '369159 0500167'],
  ['an account number in groups of five', '30002 00550 00001 57845'],
  ['the details of a British account', '60-16-13 31926819'],
  ['an amount with separators', '255,860,505'],
  ['an amount and a day', '31926819 EUR 2026-11-20'],
  ['an amount that is not understood', '4711, 86 EUR'],
  ['an id that was broken at its dash', `${one.slice(0, 24)} ${one.slice(24)}`],
  ['an id that was broken', `${one.slice(0, 16)} ${one.slice(16)}`],
  ['an id that was broken without its dashes', '2046967ae17d45b7 9cc9a4c1b2ad1329'],
  ['an account number of Argentina', '28505909 40090418135201'],
  ['an account number of Hungary', '11773016 11111018 00000000'],
  ['a short account number of Hungary', '11773016 11111018'],
  ['an account number that was broken', '611090101400000 71219812874'],
  ['an address of Solana that was broken', '7xKXtg2CW87d97TXJSDpb D5jBkheTqA83TZRuJosgAsU'],
  ['an address of Tron that was broken', 'TJRabPrwbZy45sbav fcjinPJC18kjpRTv8'],
  ['an IBAN with a slip in two groups', 'GB29NWBK1 60161331926818'],
  ['a name with a number', 'Building7 Ana'],
  ['a shortened id in a row of a list', 'Reference 2046967a…d1329\tCompleted\t€4.76'],
  ['a shortened IBAN in groups', 'DE89 3704…3000'],
  ['a shortened number in groups', '60 16 13 3192…6819'],
  ['an id that stands beside its short form', `2046967a…d1329 ${one}`],
])('%s is one search', (_what, text) => {
  expect(readLines(cleanText(text))).toBeNull()
})

it.each([
  ['ids one below the other', `${one}\n${two}\n`, [one, two]],
  ['ids in one line, as a field makes of lines', `${one} ${two}`, [one, two]],
  ['ids with commas', `${one},${two}`, [one, two]],
  [
    'different things',
    `${one}\r\n\r\nana@demo.test\r\n5.49 apples\r\n2046967`,
    [one, 'ana@demo.test', '5.49 apples', '2046967'],
  ],
  ['a mail with two ids', `Both are late:\n${one}\n${two}`, ['Both are late:', one, two]],
  ['names', 'Ana García\nBen Ong', ['Ana García', 'Ben Ong']],
  ['shortened ids in one line', '2046967a…d1329, 0x26D0…8932', ['2046967a...d1329', '0x26D0...8932']],
  [
    'shortened IBANs in groups',
    'DE89 3704…3000, GB29 NWBK 6016…6819',
    ['DE89 3704...3000', 'GB29 NWBK 6016...6819'],
  ],
  ['a whole and a shortened id', `3f2c1111…0d0b1 ${one}`, ['3f2c1111...0d0b1', one]],
  [
    'hashes without 0x',
    `${'371fa7c5'.repeat(8)} ${'471fa7c5'.repeat(8)}`,
    ['371fa7c5'.repeat(8), '471fa7c5'.repeat(8)],
  ],
  [
    'addresses of another chain',
    '{"from":"TJRabPrwbZy45sbavfcjinPJC18kjpRTv8","to":"7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"}',
    ['TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
  ],
  ['IBANs in one line', `${german} ${spanish}`, [german, spanish]],
  ['an IBAN beside an e-mail', `ana@demo.test ${spanish}`, ['ana@demo.test', spanish]],
  ['an IBAN that touches an e-mail', `${spanish}|ana@demo.test`, [spanish, 'ana@demo.test']],
  ['an e-mail that touches an IBAN', `ana@demo.test${german}`, ['ana@demo.test', german]],
  ['fields of an address', `iban=${spanish}&e=ana@demo.test`, [spanish, 'e=ana@demo.test']],
  ['an id that touches an e-mail', `${one}/ana@demo.test`, [one, 'ana@demo.test']],
  [
    'e-mails with an id in them',
    `ana+${one}@demo.test, bob@demo.test`,
    [`ana+${one}@demo.test`, 'bob@demo.test'],
  ],
  ['e-mails that touch', 'ana@demo.test|bob@demo.test', ['ana@demo.test', 'bob@demo.test']],
  ['e-mails with a slash', 'ana@demo.test/bob@demo.test', ['ana@demo.test', 'bob@demo.test']],
  ['an IBAN that was wrapped, and an id', `DE89 3704 0044\n0532 0130 00\n${one}`, [german, one]],
  ['an id beside an IBAN', `IBAN ${german} of ${one}`, [german, one]],
  ['numbers of customers', 'C-1001 C-1002', ['C-1001', 'C-1002']],
  ['short numbers of customers', 'K4711 K4712', ['K4711', 'K4712']],
  ['numbers with commas', '4711, 4712, 4713', ['4711', '4712', '4713']],
  ['numbers with semicolons', '#204;#205', ['#204', '#205']],
  ['account numbers', '31926819 31926820', ['31926819', '31926820']],
  ['three account numbers', '31926819 31926820 31926821', ['31926819', '31926820', '31926821']],
  ['longer account numbers', '0532013000 0532013001', ['0532013000', '0532013001']],
  ['numbers of two lengths', '28505909 4009041813520128505909', ['28505909', '4009041813520128505909']],
  ['numbers of two lengths with commas', '28505909, 40090418135201', ['28505909', '40090418135201']],
  [
    'numbers of customers in capitals',
    'C471A8912B3344CX1 C471A8912B3344CX2',
    ['C471A8912B3344CX1', 'C471A8912B3344CX2'],
  ],
  ['beginnings of ids', '2046967a, 3f2c1111', ['2046967a', '3f2c1111']],
  [
    'lines with the marks of a list',
    '1. 2046967a\n2) Ana Maria de Lima\n> €5.49',
    ['1. 2046967a', '2) Ana Maria de Lima', '> €5.49'],
  ],
  ['names with numbers', '1. Ana Maria de Lima\n2. Ben Ong', ['1. Ana Maria de Lima', '2. Ben Ong']],
  ['rows of a table', '| 2046967a |\n| 3f2c1111 |', ['| 2046967a |', '| 3f2c1111 |']],
  [
    'an id that was wrapped, and another',
    `> ${one.slice(0, 19)}\n> ${one.slice(19)}\n> ${two}`,
    [`> ${one}`, `> ${two}`],
  ],
  [
    'a wallet and a number of hexadecimal digits',
    `0x${'26d0bfaa'.repeat(5)}\n${'371fa7c5'.repeat(3)}`,
    [`0x${'26d0bfaa'.repeat(5)}`, '371fa7c5'.repeat(3)],
  ],
  ['beginnings of ids, one below the other', '2046967a-\n85f9-4a5c', ['2046967a-', '85f9-4a5c']],
  ['the same twice', `${one}\n${one}`, [one, one]],
  [
    'ids of which two together hold an IBAN',
    '9f8184c4-4c12-411c-8a74-f756de025998\n05aa23f6-dec2-4117-adc5-de456d5309fe',
    ['9f8184c4-4c12-411c-8a74-f756de025998', '05aa23f6-dec2-4117-adc5-de456d5309fe'],
  ],
  [
    'other such ids',
    '581ef1f7-70eb-45bb-a0e3-4ba228ca3aaa\nf0a5416c-2b72-486f-8604-3f204eeca2d1',
    ['581ef1f7-70eb-45bb-a0e3-4ba228ca3aaa', 'f0a5416c-2b72-486f-8604-3f204eeca2d1'],
  ],
])('%s are as many searches', (_what, text, lines) => {
  expect(readLines(cleanText(text))).toEqual({ lines, left: 0 })
})

it('takes 100 lines at once, and says how many are left', () => {
  const many = Array.from({ length: 130 }, (_, n) => `2046967${n}`).join('\n')
  expect(readLines(cleanText(many))).toMatchObject({ left: 30 })
  expect(readLines(cleanText(many))?.lines).toHaveLength(100)
})

it('decides by the lines that it takes', () => {
  const words = Array.from(
    { length: 100 },
    (_, n) => `this is no name but line ${'abcdefghij'.charAt(n % 10)}`,
  )
  expect(readLines(cleanText([...words, one, two].join('\n')))).toBeNull()
  expect(readLines(cleanText([one, '', ' ', two, ...words].join('\n')))).toMatchObject({ left: 2 })
})

it('reads a long line of numbers, and many short lines, in linear time', () => {
  for (const part of [
    '4711, ',
    'C-1001 ',
    '31926819;',
    'DE8',
    `${german} `,
    '1 ',
    '1\n',
    'a b c d e\n',
    'DE8 \n> ',
    'a\n> ',
    '0x2046967a\n',
    `${one.slice(0, 35)}\n`,
    'a@b.c|',
    `${spanish}|`,
  ])
    expect(readLines(cleanText(part.repeat(20_000 / part.length)))?.lines.length ?? 0).toBeLessThan(101)
})
