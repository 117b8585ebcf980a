import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountNumberKey } from '#lib/deliveries/rules/identifier.ts'
import { languages } from '#lib/platform/rules/language.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { catalogues } from '#lib/words/messages/catalogues.ts'
import { alsoBare, type Probe } from './probes.ts'
import * as reading from './read-query.ts'

const readQuery = (text: string) => reading.readQuery(cleanText(text))
const readIdInstead = (text: string) => reading.readIdInstead(cleanText(text))
const wholeNumberIn = (text: string) => reading.wholeNumberIn(cleanText(text))

const id = '2046967a-e17d-45b7-9cc9-a4c1b2ad1329'
const hash = `0x${'371fa7c5'.repeat(8)}`
const wallet = '0x26d0bfaa7de6f4d5a8f06bd2c7b0f35b3d708932'
const iban = 'es9121000418450200051332'

describe('readQuery', () => {
  it.each([
    ['a whole id', id, id, `ID ${id}`],
    ['an id in capitals, quotes and blanks', ` "${id.toUpperCase()}" `, id, `ID ${id}`],
    ['an id in a link', `https://example.com/transactions/${id}?tab=1`, id, `ID ${id}`],
    ['an id in a line of a mail', `Where is my payment ${id}?`, id, `ID ${id}`],
    ['an id without its dashes', id.replaceAll('-', ''), id, `ID ${id}`],
    ['a hash', hash.toUpperCase().replace('0X', '0x'), hash, `Transaction hash ${hash}`],
    ['a wallet in a link', `https://example.com/address/${wallet}`, wallet, `Wallet ${wallet}`],
  ])('understands %s', (_, text, value, words) => {
    const reading = readQuery(text)
    expect(reading.explanation).toBe(words)
    expect(reading.probes[0]).toMatchObject({ prefix: value, suffix: null, exact: true })
  })

  it.each([
    ['an e-mail', ' Ana.B+x@Demo.test\n', 'Ana.B+x@Demo.test'],
    ['an e-mail with its name', 'Ana B <ana@demo.test>', 'ana@demo.test'],
    ['an e-mail that begins like a hash', `${hash.slice(2)}@demo.test`, `${hash.slice(2)}@demo.test`],
    ['an e-mail that begins like a wallet', `<${wallet.slice(2)}@demo.test>`, `${wallet.slice(2)}@demo.test`],
    [
      'an e-mail that begins like an id',
      `${id.replaceAll('-', '')}@163.com`,
      `${id.replaceAll('-', '')}@163.com`,
    ],
    ['an e-mail in a sentence', 'Where is the money of ana@demo.test?', 'ana@demo.test'],
  ])('understands %s', (_, text, email) => {
    expect(readQuery(text)).toEqual({ probes: [], email, explanation: `E-mail ${email}` })
  })

  it.each([
    ['the beginning of an id', '2046', id],
    ['a beginning that ends in a dash', '2046967a-', id],
    ['a beginning without dashes', '2046967ae17d4', id],
    ['the end of an id', 'd1329', id],
    ['an end with dashes', '9cc9-a4c1b2ad1329', id],
    ['an end without dashes', '45b79cc9a4c1b2ad1329', id],
    ['an end just past the last dash', '9a4c1b2ad1329', id],
    ['head and tail as we print them', '2046967a…d1329', id],
    ['head and tail with dots', '2046967a...d1329', id],
    ['a tail alone', '…d1329', id],
    ['a head alone', '2046967a…', id],
    ['a hash as we print it', shortId(hash), hash],
    ['the beginning of a hash', '0x371f', hash],
    ['the beginning of a hash without its 0x', '371fa7c5', hash],
    ['a wallet as we print it', '0x26D0…8932', wallet],
    ['a hash that was stored without its 0x', hash, hash.slice(2)],
    ['a wallet that was stored without its 0x', wallet, wallet.slice(2)],
    ['the beginning of one', '0x371f', hash.slice(2)],
    ['one as we print it', '0x26D0…8932', wallet.slice(2)],
    ['a whole id of any sign', ' 🎉-Zürich/100% ', '🎉-zürich/100%'],
    ['a whole id of signs alone', '#@!%', '#@!%'],
    ['a whole id that may be a name', 'Zürich', 'zürich'],
  ])('finds %s', (_, text, value) => {
    expect(alsoBare(readQuery(text).probes).some((probe) => finds(probe, value))).toBe(true)
  })

  it.each([
    ['an IBAN with blanks', 'ES91 2100 0418 4502 0005 1332', iban, 'IBAN ES9121000418450200051332'],
    [
      'an IBAN between the marks that it is kept with',
      '=ES9121000418450200051332=',
      iban,
      'IBAN ES9121000418450200051332',
    ],
    [
      'an account number',
      '3192 6819',
      '31926819',
      'ID beginning or ending with 31926819, or a whole account or customer number',
    ],
  ])('understands %s, whole', (_, text, accountNumber, explanation) => {
    expect(readQuery(text)).toMatchObject({ accountNumber, explanation })
  })

  it('says of an IBAN with a typing error that there is one, and looks it up as it is', () => {
    expect(readQuery('GB29 NWBK 6016 1331 9268 18')).toEqual({
      probes: [],
      accountNumber: 'gb29nwbk60161331926818',
      explanation:
        'Like an IBAN, but its check digits do not fit: a character of GB29NWBK60161331926818 may be wrong',
    })
  })

  it('finds no account number by any part of it, whatever is typed', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.integer({ min: 1, max: 24 }),
        (text, length) => {
          const kept = accountNumberKey(iban)
          for (const typed of [
            text,
            `=${iban.slice(0, length)}`,
            `${iban.slice(-length)}=`,
            `=${iban.slice(0, length)}…${iban.slice(-4)}=`,
          ])
            expect(readQuery(typed).probes.some((probe) => finds(probe, kept))).toBe(false)
        },
      ),
    )
  })

  it.each([
    ['', 'Paste an ID, a hash, a wallet, an IBAN, an e-mail, a name or an amount'],
    ['  ""', 'Paste an ID, a hash, a wallet, an IBAN, an e-mail, a name or an amount'],
    ['ab', 'Type at least 4 characters, or 3 letters of a name'],
    ['0x37', 'Type at least 4 characters, or 3 letters of a name'],
    ['5.49.3', 'No ID and no amount. Type an amount like €255.86, with a day like €255.86 20 Nov.'],
    ['5.49 apples', 'No ID and no amount. Type an amount like €255.86, with a day like €255.86 20 Nov.'],
    ['255.86 20/11', 'No ID and no amount. Type an amount like €255.86, with a day like €255.86 20 Nov.'],
    ['20 Nov', 'A day alone: type an amount with it, such as €255.86 20 Nov'],
    ['+-+', 'No id, name, number or amount'],
    ['…', 'Type at least 4 characters of its beginning or its end'],
    ['20…29', 'Type at least 4 characters of its beginning or its end'],
  ])('looks nothing up for %j and says why', (text, words) => {
    expect(readQuery(text)).toEqual({ probes: [], explanation: words })
  })

  it.each([
    ['> ', ''],
    ['>> ', ''],
    ['>', ''],
    ['1. ', ''],
    ['12) ', ''],
    ['1)', ''],
    ['| ', ' |'],
    ['→ ', ''],
    ['✓', ''],
    ['✔️ ', ''],
    ['[ ] ', ''],
    ['- [x] ', ''],
    ['> - ', ''],
    ['> 3. ', ''],
    ['**', '**'],
    ['*', '*'],
    ['__', '__'],
    ['||', '||'],
    ['| **', '** |'],
    ['2. **', '**'],
    ['', ''],
  ])('reads a text between %j and %j as if it stood alone', (before, behind) => {
    for (const text of [
      '2046967a',
      '2046967a…d1329',
      'Ana Lima',
      '€5.49',
      '5.49 EUR 20. Nov',
      '204',
      'KD-4711',
      iban,
    ])
      expect(readQuery(before + text + behind), text).toEqual(readQuery(text))
    expect(readIdInstead(`${before}12345678CAD${behind}`)).toEqual(readIdInstead('12345678CAD'))
  })

  it.each([
    ['20. Nov 5 EUR', 'Amount 5 EUR on 20 Nov'],
    ['12. 3. 5 EUR', 'Amount 5 EUR on 12 Mar'],
    ['20. Nov', 'A day alone: type an amount with it, such as €255.86 20 Nov'],
    ['**** 6967a', 'Id ending with 6967a'],
    ['* * 6967a', 'Id ending with 6967a'],
    ['**6967a', 'Id ending with 6967a'],
    ['6967a**', 'ID beginning with 6967a'],
  ])('the beginning or the end of %j is no mark of a list', (text, words) => {
    expect(readQuery(text).explanation).toBe(words)
  })

  it.each([
    ['an id at its dash', `> ${id.slice(0, 19)}\n> ${id.slice(19)}`, id],
    ['an id within a group', `${id.slice(0, 11)}\r\n${id.slice(11)}`, id],
    ['an id of three lines', `>> ${id.slice(0, 9)}\n>> ${id.slice(9, 24)} \n>> ${id.slice(24)}`, id],
    ['a hash', `Hash:\n> ${hash.slice(0, 50)}\n> ${hash.slice(50)}`, hash],
    ['a wallet', `to ${wallet.slice(0, 7)}\n${wallet.slice(7)}, thanks`, wallet],
  ])('finds %s that was wrapped', (_, text, whole) => {
    expect(readQuery(text).probes).toEqual([expect.objectContaining({ prefix: whole, exact: true })])
  })

  it('takes what is too short for an id for a customer number', () => {
    expect(readQuery(' 204 ')).toEqual({
      probes: [],
      customerNumber: '204',
      explanation: 'Customer number 204; an ID needs at least 4 characters',
    })
  })

  it.each([
    ['5.49', ['5.49'], null, 'Amount 5.49'],
    ['€255.86 20 Nov', ['255.86'], 'EUR', 'Amount 255.86 EUR on 20 Nov'],
    ['207.71 EUR yesterday', ['207.71'], 'EUR', 'Amount 207.71 EUR yesterday'],
    ['255,86 on 2026-11-20', ['255.86'], null, 'Amount 255.86 on 20 Nov 2026'],
    ['£1,816.45', ['1816.45'], 'GBP', 'Amount 1816.45 GBP'],
    ['1.816,45 EUR', ['1816.45'], 'EUR', 'Amount 1816.45 EUR'],
    ['1.250 USDC', ['1.250', '1250'], 'USDC', 'Amount 1.250 or 1250 USDC'],
    ['5 USDC', ['5'], 'USDC', 'Amount 5 USDC'],
    ['$5', ['5'], 'USD', 'Amount 5 USD'],
    ['1.234.567,89', ['1234567.89'], null, 'Amount 1234567.89'],
    ['500 Nov 20', ['500'], null, 'Amount 500 on 20 Nov'],
  ])('understands the amount %j, and claims no id by it', (text, digits, currency, explanation) => {
    const reading = readQuery(text)
    expect(reading).toMatchObject({ probes: [], amount: { digits, currency }, explanation })
    expect(reading.accountNumber).toBeUndefined()
  })

  it.each(['1234', '20261120', '12345 6789', '2046', 'abc123'])(
    'takes %j for no amount: alone it may be a part of an id',
    (text) => {
      const reading = readQuery(text)
      expect(reading.amount).toBeUndefined()
      expect(reading.probes.length).toBeGreaterThan(0)
    },
  )

  it('takes hexadecimal digits for an id, also where they end like a currency', () => {
    expect(readQuery('00000000cad').probes).not.toEqual([])
    expect(readQuery('12 cad')).toMatchObject({ probes: [], amount: { currency: 'CAD' } })
    expect(readQuery('12CAD')).toMatchObject({ probes: [], amount: { currency: 'CAD' } })
    expect(readIdInstead('12CAD')).toBeNull()
    for (const text of ['1234567.8 CAD', '12345678 CAD', '12345678 EUR', '12345678cad'])
      expect(readIdInstead(text), text).toBeNull()
    expect(readIdInstead(' 12345678CAD ')).toEqual({
      ...readQuery('12345678cad'),
      explanation: 'ID beginning or ending with 12345678cad, else amount 12345678 CAD',
    })
  })

  it('never takes digits around a point for an id', () => {
    fc.assert(
      fc.property(fc.nat(99_999), fc.nat(99_999), fc.constantFrom('.', ','), (whole, fraction, point) => {
        expect(readQuery(`${whole}${point}${fraction}`)).toMatchObject({ probes: [] })
      }),
    )
  })

  it.each([
    ['Ana', 'Ana'],
    ['Ana García', 'Ana García'],
    ['Ana’s', 'Ana'],
    ['ana@demo', 'ana@demo'],
    ['garcia', 'garcia'],
    ['Where is my money', 'Where is my money'],
    ['tickets.example/4.7', 'tickets.example/4.7'],
    ['Ana Lima.', 'Ana Lima'],
    ['“Ana Lima.”', 'Ana Lima'],
    ['(Ana Lima).', 'Ana Lima'],
    ['Ana Lima’s.', 'Ana Lima'],
    ['• Ana Lima', 'Ana Lima'],
    ['•\tLima', 'Lima'],
    ['•Ana Lima', 'Ana Lima'],
    ['* Ana Lima', 'Ana Lima'],
    ['- Ana Lima', 'Ana Lima'],
    ['– Ana Lima', 'Ana Lima'],
    ['· Name: Ana Lima', 'Ana Lima'],
    ['Name: Ana Lima', 'Ana Lima'],
    ['Full name: Ana Lima', 'Ana Lima'],
    ['Nombre completo: Ana Lima', 'Ana Lima'],
    ['Prénom : Ana', 'Ana'],
    ['Nachname: Müller', 'Müller'],
    ['Nome: Ana', 'Ana'],
    ['Apellidos: Lima Ros', 'Lima Ros'],
    ['Kunde: Ana Lima', 'Ana Lima'],
    ['"first_name": "Ana",', 'Ana'],
    ['lastName=Lima', 'Lima'],
  ])('looks for people by %j', (text, name) => {
    expect(readQuery(text)).toMatchObject({ name })
  })

  const signature = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpKoTZmQyUSMZ5ZSFxxJLspABCDEF'
  const [tron, solana] = [
    'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  ]

  it.each([
    [`https://solscan.io/tx/${signature}`, signature],
    [`paid 255.86 USDC, tx ${signature} please`, signature],
    [`https://tronscan.org/#/address/${tron}?page=1`, tron],
    [`{"walletAddress":"${solana}"}`, solana],
    [`my wallet is ${solana}.`, solana],
    [`(${tron}) twice: ${tron}`, tron],
  ])('finds the long id of a chain in %j', (text, value) => {
    expect(readQuery(text)).toEqual({
      probes: [{ prefix: value.toLowerCase(), suffix: null, exact: true }],
      explanation: `ID ${value.toLowerCase()}`,
    })
  })

  it('joins an address that a space has broken, and searches a long part alone too', () => {
    for (const value of [tron, solana])
      for (const at of [5, 12, 21, 26, 29])
        for (const before of at === 5 ? [''] : ['', 'Wallet: ', 'wallet ']) {
          const text = `${before}${value.slice(0, at)} ${value.slice(at)}`
          const { probes, name, accountNumber } = readQuery(text)
          expect([name, accountNumber], text).toEqual([undefined, undefined])
          const long = [value.slice(0, at), value.slice(at)].filter(({ length }) => length >= 26)
          expect(probes, text).toEqual(
            [value, ...long].map((one) => ({ prefix: one.toLowerCase(), suffix: null, exact: true })),
          )
        }
    for (const text of [`to ${tron}`, `Solana ${tron}`])
      expect(readQuery(text).probes, text).toMatchObject([{ prefix: tron.toLowerCase() }])
    for (const name of ['Unternehmensgruppe7 Muenchenstadt', 'Maximiliane1 Hofmannsthaler Schmidtt'])
      expect(readQuery(name), name).toMatchObject({ name, probes: [] })
  })

  it('probes each of several long ids', () => {
    const { probes } = readQuery(`from ${tron} to ${solana}`)
    expect(probes.map(({ prefix }) => prefix)).toEqual([tron, solana].map((one) => one.toLowerCase()))
  })

  it('finds a hash or a wallet without its 0x beside other words, stored with it or without', () => {
    for (const value of [hash, wallet])
      for (const text of [
        `tx ${value.slice(2)} please`,
        `{"id":"${value.slice(2)}"}`,
        `https://x.test/#/${value.slice(2)}`,
        `0X ${value.slice(2)}`,
        value.slice(2).toUpperCase(),
      ]) {
        const { probes, name } = readQuery(text)
        expect(name, text).toBeUndefined()
        for (const stored of [value, value.slice(2)])
          expect(
            probes.some((probe) => probe.exact && finds(probe, stored)),
            text,
          ).toBe(true)
      }
  })

  it('searches a long number like an IBAN beside words as if it stood alone, so that it is counted', () => {
    const number = 'zz99bankbankbankbankbank0001'
    const alone = readQuery(number)
    expect(alone.accountNumber).toBe(number)
    expect(readQuery(`pay to ${number} today`)).toEqual(alone)
    expect(wholeNumberIn(`pay to ${number} today`)).toBe(number)
    expect(readQuery(`pay 12345678901234567890123456 to me`).probes).toEqual([])
  })

  it.each([
    ['60-16-13 319268', '319268'],
    ['31926819 60-16-13', '31926819'],
    ['sort code 60-16-13 account 31926819 please', '31926819'],
  ])('reads the account number alone beside the sort code in %j', (text, accountNumber) => {
    expect(readQuery(text)).toEqual({
      probes: [],
      accountNumber,
      explanation: `Account number ${accountNumber}`,
    })
  })

  it.each(['60-16-13', '60-16-13 1', '60-16-131 31926819', '1-60-16-13 31926819', '60-16-13 319268191', id])(
    'reads no sort code beside an account number in %j',
    (text) => {
      expect(readQuery(text).explanation).not.toMatch(/^Account number/)
    },
  )

  it('takes no amount beside a day for an account number', () => {
    expect(readQuery('20-11-2026 255860 EUR').amount).toMatchObject({ digits: ['255860'], currency: 'EUR' })
  })

  it('joins the parts of a hash that was broken', () => {
    for (const at of [30, 40, 50])
      expect(readQuery(`${hash.slice(0, at)} ${hash.slice(at)}`).probes[0]?.prefix).toBe(hash)
  })

  it.each([
    'Person 2046967a…d1329',
    '2046967a…d1329 · Rampart',
    'Meine Zahlung 2046967a…d1329 fehlt',
    '2046967a…d1329\tCompleted\t€4.76',
    '2046967a…d1329, 20 Nov',
    '2046967a…d1329.',
    '2046967A…D1329 (Polygon)',
    '{"id":"2046967a...d1329"}',
  ])('finds a shortened id beside other words in %j', (text) => {
    expect(readQuery(text)).toEqual({
      probes: [{ prefix: '2046967a', suffix: 'd1329', exact: false }],
      explanation: 'ID beginning with 2046967a and ending with d1329',
    })
  })

  it.each([
    ['DE89 3704…3000', 'de893704', '3000'],
    ['ES91 2100…1332', 'es912100', '1332'],
    ['GB29 NWBK 6016…6819', 'gb29nwbk6016', '6819'],
    ['DE89 3704…0130 00', 'de893704', '013000'],
    ['GB29 NWBK…9268 19', 'gb29nwbk', '926819'],
    ['1234 5678…9012', '12345678', '9012'],
    ['1234 5678****9012 3456', '12345678', '90123456'],
    ['0x26D0 af0b…8932', '0x26d0af0b', '8932'],
    ['2046 967a…d1329', '2046967a', 'd1329'],
    ['30002 00550 0000…1332', '30002005500000', '1332'],
    ['60 16 13 3192…6819', '6016133192', '6819'],
  ])('reads all groups of the shortened %j, whatever is beside it', (alone, head, tail) => {
    for (const text of [alone, `IBAN ${alone}`, `Konto: ${alone}`, `"${alone}"`])
      expect(readQuery(text), text).toEqual({
        probes: [{ prefix: head, suffix: tail, exact: false }],
        explanation: `ID beginning with ${head} and ending with ${tail}`,
      })
  })

  it.each(['2046967a…d1329 Ana', 'Ana 2046967a…d1329', '4711 2046967a…d1329', '2046967a…d1329 4711'])(
    'takes what stands beside an id as pages show it for none of its groups in %j',
    (text) => {
      expect(readQuery(text)).toEqual(readQuery('2046967a…d1329'))
    },
  )

  it.each(languages)('knows the words before an id of the pages of customers in %s', (language) => {
    const { referenceOf, transaction } = catalogues[language].account
    for (const part of [shortId(id), id.slice(0, 8), 'd1329', '2046967A']) {
      const alone = readQuery(part)
      for (const words of [referenceOf.replace('<mark>{id}</mark>', part), `${transaction}: ${part}`])
        for (const text of [words, words.toUpperCase(), words.replace(' ', '\u00a0')])
          expect(readQuery(text), text).toEqual(alone)
    }
  })

  it.each([
    ['Ref.: 2046967a', '2046967a'],
    ['Transaktions-ID 2046967a', '2046967a'],
    ['Kundennummer: 4711', '4711'],
    ['numéro de client 4711', '4711'],
    ['número da conta 31926819', '31926819'],
    ['Compte n° 31926819', '31926819'],
    ['Person 2046967a', '2046967a'],
    ['"transactionUuid": "2046967a",', '2046967a'],
    ['transactionUuid=2046967a', '2046967a'],
    ['user_id: 2046967a', '2046967a'],
    ['internalBankAccountId: "2046967a"', '2046967a'],
    ['• Customer number: K-4711', 'K-4711'],
    ['- 2046967a', '2046967a'],
    ['2046967a.', '2046967a'],
    ['Kundennummer K-4711.', 'K-4711'],
    ['(31926819).', '31926819'],
    ['* ••••6789', '••••6789'],
  ])('leaves out the words before the number in %j', (text, part) => {
    expect(readQuery(text)).toEqual(readQuery(part))
  })

  it.each([
    ['Company 42 Ltd', '42ltd'],
    ['Event 21 SL', '21sl'],
    ['Pago 46 SL', '46sl'],
    ['Payment 24 GmbH', '24gmbh'],
    ['Client 1st GmbH', '1stgmbh'],
    ['Company 42 Cafe', '42cafe'],
    ['Transaction 9 Ltd', '9ltd'],
    ['Company DE12 Ltd', 'de12ltd'],
    ['Event 2046-2047 Ltd', '2046-2047ltd'],
    ['Konto 1 Lda', '1lda'],
    ['Company 2000', '2000'],
    ['Zahlung 360grad', '360grad'],
  ])('%j may be a name, or a number behind a word', (text, part) => {
    expect(readQuery(text)).toMatchObject({ name: text, accountNumber: part })
    expect(readQuery(text).probes).toEqual(readQuery(part).probes)
    expect(readQuery(text).explanation).toBe(
      `Name beginning with ${text}, or ID beginning or ending with ${part}, or a whole account or customer number`,
    )
  })

  it.each([
    ['Person 7', '7'],
    ['Company 3i', '3i'],
    ['customer 204', '204'],
  ])('%j may be a name, or the number of a customer', (text, customerNumber) => {
    expect(readQuery(text)).toEqual({
      probes: [],
      name: text,
      customerNumber,
      explanation: `Name beginning with ${text}, or customer number ${customerNumber.toUpperCase()}; an ID needs at least 4 characters`,
    })
  })

  it.each(['No 1 Currency Ltd', 'No.1 Plumbing Ltd', 'Nr. 1 Pizza', 'Payment 2046967a fehlt'])(
    'keeps the first word of the name %j',
    (name) => {
      expect(readQuery(name)).toEqual({
        probes: [],
        name,
        explanation: `Name, e-mail or customer number beginning with ${name}`,
      })
    },
  )

  it.each([
    ['Client: 1st GmbH', '1st GmbH'],
    ['Kunde #42 Ltd', '42 Ltd'],
    ['Customer number 4711', '4711'],
    ['Konto 3192 6819', '3192 6819'],
    ['Person d13a', 'd13a'],
    ['IBAN DE89 3704', 'DE89 3704'],
    ['Konto GB29 NWBK 6016 1331 9268 18', 'GB29 NWBK 6016 1331 9268 18'],
    ['wallet 0x26d0', '0x26d0'],
    ['Ref 12', '12'],
    ['user id 12ab', '12ab'],
    ['Payment f32yq3l3w8wm9f1g', 'f32yq3l3w8wm9f1g'],
  ])('takes %j for no name', (text, part) => {
    expect(readQuery(text)).toEqual(readQuery(part))
  })

  it.each([
    ['account ....6789', '...6789'],
    ['account ...6789', '...6789'],
    ['account...6789', '...6789'],
    ['Konto.....6789', '...6789'],
    ['acct....6789', '...6789'],
    ['ID: ...d1329', '...d1329'],
    ['wallet …8932', '…8932'],
    ['Ref. 2046967a', '2046967a'],
  ])('leaves the dots of %j to the number', (text, part) => {
    expect(readQuery(text)).toEqual(readQuery(part))
  })

  it.each([
    ['David: 4711', 'David: 4711'],
    ['Ref Müller', 'Ref Müller'],
    ['Where is my money... please', 'Where is my money... please'],
    ['Ana García…', 'Ana García'],
  ])('takes %j for a name and for no part of an id', (text, name) => {
    expect(readQuery(text)).toMatchObject({ probes: [], name })
  })

  it('takes a sentence for no id', () => {
    expect(readQuery('Where is my money').probes).toEqual([])
    expect(readQuery('Ana García').probes).toEqual([])
    expect(readQuery('%zz 9')).toMatchObject({ probes: [], name: '%zz 9' })
  })

  it('finds any id by any beginning or end of 4 characters and more, and as it is printed', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 5, max: 36 }), (value, length) => {
        for (const text of [value.slice(0, length), value.slice(-length), shortId(value)]) {
          expect(readQuery(text).probes.some((probe) => finds(probe, value))).toBe(true)
        }
        const bare = value.replaceAll('-', '')
        for (const text of [bare.slice(0, length), bare.slice(-length)]) {
          expect(readQuery(text).probes.some((probe) => finds(probe, value))).toBe(true)
        }
      }),
    )
  })

  it('survives anything, and never looks for fewer than 4 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (text) => {
        for (const probe of readQuery(text).probes) {
          expect(Math.max(probe.prefix?.length ?? 0, probe.suffix?.length ?? 0)).toBeGreaterThanOrEqual(4)
        }
      }),
    )
  })
})

/** The database treats a probe like this. */
const finds = ({ prefix, suffix, exact }: Probe, value: string) =>
  exact ? value === prefix : value.startsWith(prefix ?? '') && value.endsWith(suffix ?? '')

describe('wholeNumberIn', () => {
  it.each([
    ['ES91 2100 0418 4502 0005 1332', iban],
    ['es9121000418450200051333', 'es9121000418450200051333'],
    ['"31926819"', '31926819'],
    ['NWBK60161331926819', 'nwbk60161331926819'],
    ['12-34-56 31926819', '31926819'],
    ['Sort code 60-16-13, account number: 31926819', '31926819'],
    ['31926819 (60-16-13)', '31926819'],
    ['QA58DOHB00001234567890ABCDEFG', 'qa58dohb00001234567890abcdefg'],
  ])('finds one in %j', (text, number) => {
    expect(wholeNumberIn(text)).toBe(number)
  })

  it.each([
    id,
    id.slice(0, 8),
    id.slice(0, 18),
    hash,
    wallet,
    'ES91 2100 0418',
    '3192681',
    'Ana García',
    '€255.86',
    'ana@demo.test',
    '…1332',
  ])('finds none in %j', (text) => {
    expect(wholeNumberIn(text)).toBeNull()
  })
})

it.each([
  [id, true],
  [hash, true],
  [wallet, true],
  [hash.slice(2), false],
  [`Where is ${id}?`, false],
  ['Zürich/100%', false],
  ['José', false],
  ['ana@demo.test', false],
])('an address may hold %s: %s', (text, may) => {
  expect(reading.namesPublicId(cleanText(text))).toBe(may)
})

describe('an id that was copied', () => {
  const uuid = '2046967a-85f9-4a5c-9d3e-0123456d1329'
  const checksummed = '0x26D0bfAA7DE6F4D5a8f06Bd2C7b0F35b3D708932'
  const german = 'de89370400440532013000'

  it.each([
    ...['Completed', 'Failed', 'EUR', 'Bank', 'Success', 'CAD', 'Fee', '255.86'].map(
      (word) => `${uuid}${word}`,
    ),
    ...['Transaction ID', 'Code', 'tx'].map((word) => `${word}${uuid}`),
    `${uuid.slice(0, 9)}\u200b${uuid.slice(9)}`,
    uuid.replaceAll('-', '\u00ad'),
    `%7B${uuid}%7D`,
    `Transaction ${uuid.replaceAll('-', '')} of today`,
    `${uuid}${uuid.replace('2', '3')}`,
  ])('is found in %j', (text) => {
    expect(readQuery(text).probes[0]).toEqual({ prefix: uuid, suffix: null, exact: true })
  })

  it.each([`${uuid}0`, `f${uuid}`])('is not taken for %j, which has one digit too many', (text) => {
    expect(readQuery(text).probes.every(({ exact, prefix }) => !exact || prefix !== uuid)).toBe(true)
  })

  it.each([`tx${hash}`, `${hash}Completed`, `Hash${hash}EUR`])('%j names a hash', (text) => {
    expect(readQuery(text).probes[0]).toMatchObject({ prefix: hash, exact: true })
  })

  it.each([
    `Wallet${checksummed}`,
    `${checksummed}Bank`,
    `0×${checksummed.slice(2)}`,
    `${checksummed}Completed`,
  ])('%j names a wallet', (text) => {
    expect(readQuery(text).probes[0]).toMatchObject({ prefix: checksummed.toLowerCase(), exact: true })
  })

  it('takes the beginning of a hash for no wallet', () => {
    const part = hash.slice(0, 52)
    expect(readQuery(part).probes).toEqual([{ prefix: part, suffix: null, exact: false }])
  })

  it.each([
    'IBAN: DE89 3704 0044 0532 0130 00',
    'IBAN DE89370400440532013000',
    'IBANDE89370400440532013000EUR',
    'DE89-3704-0044-0532-0130-00',
    'DE89.3704.0044.0532.0130.00',
    'DE89 3704 0044 0532 0130 00 (Ana Lima)',
    'DE 89 3704 0044 0532 0130 00',
    'de89+3704+0044+0532+0130+00',
    'DE89\u200b3704\u200b0044\u200b0532\u200b0130\u200b00',
    '\u202aDE89 3704 0044 0532 0130 00\u202c',
    'Bank: COBADEFF, DE89 3704 0044 0532 0130 00, 255.86 EUR',
    'DE89 3704 0044\n0532 0130 00',
    '> DE89 3704 0044 0532\r\n> 0130 00',
    'DE89370400440532013000|ana@demo.test',
    'DE89370400440532013000-abe@demo.test',
    'ana@demo.deDE89370400440532013000',
    'DE89370400440532013000@demo.test',
  ])('an IBAN is found in %j', (text) => {
    expect(readQuery(text)).toMatchObject({
      accountNumber: german,
      explanation: `IBAN ${german.toUpperCase()}`,
    })
    expect(wholeNumberIn(text)).toBe(german)
  })

  it.each([
    ['Account: 31926819', '31926819'],
    ['Account number 31926819', '31926819'],
    ['IBAN: GB29 NWBK 6016 1331 9268 18', 'gb29nwbk60161331926818'],
  ])('the words before the number are left out of %j', (text, accountNumber) => {
    expect(readQuery(text).accountNumber).toBe(accountNumber)
  })

  it.each([
    "o'brien@demo.test",
    'o’brien@demo.test',
    'a&b@demo.test',
    'ana/lisboa@demo.test',
    'josé@demo.test',
  ])('an e-mail keeps the signs of %j', (text) => {
    expect(readQuery(text).email).toBe(text.replace('’', "'"))
  })

  it.each([
    'ana.eth',
    'Ana.ETH',
    'ana.base.eth',
    'lens/ana',
    'ana.cb.id',
    '@ana.lens',
    'ana.sol',
    '🎉.eth',
    'ana.fcast.id',
  ])('says of %j that names of chains are not known here', (text) => {
    const reading = readQuery(text)
    expect(reading.explanation).toMatch(/is a name of a chain, which is not known here: paste its address/)
    expect(reading).toMatchObject({ probes: [], customerNumber: text })
    expect(reading.name).toBeUndefined()
  })

  it.each(['ana.eth.', 'Send to ana.eth', "“ana.eth”'s", 'from ana.eth, please'])(
    'knows the name of a chain in %j',
    (text) => {
      expect(readQuery(text).customerNumber).toBe('ana.eth')
    },
  )

  it.each(['ana.ruiz', 'ana@demo.eth', 'planet/lens', 'tickets.example/4.7'])(
    'takes %j for no such name',
    (text) => {
      expect(readQuery(text).explanation).not.toContain('name of a chain')
    },
  )
})
