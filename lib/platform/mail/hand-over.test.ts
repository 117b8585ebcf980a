import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startScriptedMailServer } from '../../../test/scripted-mail-server.ts'
import { configure } from '../../../test/service.ts'
import { handOver, mailServerFault } from './hand-over.ts'

let server: Awaited<ReturnType<typeof startScriptedMailServer>>
beforeAll(async () => {
  server = await startScriptedMailServer()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.play()
  useSender('Acme <rampart@example.com>')
})

const useSender = (MAIL_FROM: string) =>
  configure({ SMTP_URL: server.url.replace('//', '//user:password@'), MAIL_FROM })

const send = (to: string, limits = { untilText: 10_000, forText: 10_000 }) =>
  handOver(
    { id: crypto.randomUUID(), to, subject: 'A notice', text: 'Somebody did it.', writtenAt: new Date() },
    { beforeText: async () => undefined, limits },
  )

it('signs in with the user and the password of SMTP_URL', async () => {
  expect(await send('ana@example.com')).toMatchObject({ kind: 'taken' })
  expect(server.lines).toContain(`AUTH PLAIN ${btoa('\0user\0password')}`)
})

describe('a mail server that takes its time', () => {
  it('is waited for at the end of the text longer than at any other step', async () => {
    server.play(async (line) => (line === '.' ? sleep(2_500, undefined) : undefined))
    const limits = { untilText: 2_000, forText: 60_000 }
    expect(await send('ana@example.com', limits)).toMatchObject({ kind: 'taken' })
  })

  it.each(['CONNECT', 'EHLO', 'MAIL', 'RCPT', 'DATA'])(
    'and dribbles its answer to %s has a deadline for the whole mail, and the next mail goes',
    async (step) => {
      let dripping: NodeJS.Timeout | undefined
      server.play((line, socket) => {
        if (!line.startsWith(step)) return undefined
        dripping = setInterval(() => socket.write('250-more\r\n'), 20)
        return new Promise(() => undefined)
      })
      const limits = { untilText: 400, forText: 60_000 }
      expect(await send('ana@example.com', limits)).toMatchObject({
        kind: 'later',
        answer: expect.stringContaining('within 0.4 s'),
      })
      clearInterval(dripping)
      server.play()
      expect(await send('ana@example.com')).toMatchObject({ kind: 'taken' })
    },
  )
})

describe('a mail server that takes no password', () => {
  it.each([
    ['250-test\r\n250 AUTH XOAUTH2', 'it offers XOAUTH2'],
    ['250-test\r\n250 AUTH XOAUTH2 PLAIN-CLIENTTOKEN OAUTHBEARER', 'it offers XOAUTH2 PLAIN-CLIENTTOKEN'],
    ['250-test\r\n250 SIZE 10000000', 'it offers no sign-in (AUTH)'],
    ['250-test\r\n250 AUTH', 'it offers no sign-in (AUTH)'],
    ['502 no EHLO here', 'it offers no sign-in (AUTH)'],
    ['250-test auth PLAIN\r\n250 SIZE 10000000', 'it offers no sign-in (AUTH)'],
    ['250-test\r\n250-AUTH NTLM\r\n250 AUTH=GSSAPI', 'it offers NTLM GSSAPI'],
  ])('is given none, and no mail: %j', async (greeting, why) => {
    server.play((line) => (line.startsWith('EHLO') ? greeting : undefined))
    expect(await send('ana@example.com')).toEqual({ kind: 'later', answer: expect.stringContaining(why) })
    expect(await mailServerFault()).toContain(why)
    expect(server.lines.filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([])
  })

  it.each([
    '250-test\r\n250-AUTH NTLM GSSAPI\r\n250 AUTH=LOGIN PLAIN',
    '250-mail auth server NTLM\r\n250 auth PLAIN',
    '250-test\r\n250-AUTH=PLAIN=LOGIN\r\n250 SIZE 10000000',
  ])('is not one that says so on another line: %j', async (greeting) => {
    server.play((line) => (line.startsWith('EHLO') ? greeting : undefined))
    expect(await send('ana@example.com')).toMatchObject({ kind: 'taken' })
    expect(await mailServerFault()).toBeNull()
    expect(server.lines).toContain(`AUTH PLAIN ${btoa('\0user\0password')}`)
  })

  it('is given a mail where SMTP_URL has no user', async () => {
    configure({ SMTP_URL: server.url, MAIL_FROM: 'rampart@example.com' })
    server.play((line) => (line.startsWith('EHLO') ? '250 test' : undefined))
    expect(await send('ana@example.com')).toMatchObject({ kind: 'taken' })
    expect(await mailServerFault()).toBeNull()
  })
})

describe('a refusal', () => {
  it.each([
    ['530 Authentication required', 'rampart@example.com'],
    ['535 not you', 'rampart@example.com'],
    ['534 use another mechanism', 'rampart@example.com'],
    ['538 Encryption required', 'rampart@example.com'],
    ['503 out of order', 'rampart@example.com'],
    ['504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname', 'rampart@example.com'],
    ['501 5.1.7 Bad sender address syntax', 'rampart@example.com'],
    ['550 5.7.60 SMTP; Client may not send as this sender', 'rampart@example.com'],
    ['550 #5.7.1 not from your network', 'rampart@example.com'],
    ['550-Verification failed for <Rampart@Example.com>\r\n550 Sender verify failed', 'rampart@example.com'],
    ['550 5.1.0 <rampart@example.com>: Sender address rejected: User unknown', 'rampart@example.com'],
    ["550 sender 'rampart@example.com'. Go away", 'rampart@example.com'],
    ['550 from=rampart@xn--bcher-kva.example, no', 'Acme <rampart@bücher.example>'],
    ['550 rampart@BÜCHER.example: no', 'rampart@bücher.example'],
    ['550 relay not permitted', 'rampart@example.com'],
    ["553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", 'rampart@example.com'],
    ["553 sorry, that domain isn't in my list of allowed rcpthosts", 'rampart@example.com'],
    ['554 Relay access denied', 'rampart@example.com'],
    ['550-You may not\r\n550 relay through this server', 'rampart@example.com'],
    ['550 Unable to relay for ana@example.com', 'rampart@example.com'],
    ['550 5.0.0 we do no relaying', 'rampart@example.com'],
    ['550 5.4.1 example.com: Relay access denied', 'rampart@example.com'],
    ['504 <localhost>: Helo command rejected: need fully-qualified hostname', 'rampart@example.com'],
    ['550 Sender verify failed', 'rampart@example.com'],
    ['550-Access denied. Your\r\n550 IP is blacklisted', 'rampart@example.com'],
    ['550 authentication required', 'rampart@example.com'],
    ['550 5.1.0 Authentication required', 'rampart@example.com'],
    ['550 Please authenticate first', 'rampart@example.com'],
    ['550 SMTP AUTH is required', 'rampart@example.com'],
    [
      '554 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
      'rampart@example.com',
    ],
    ['554 <unknown[192.0.2.1]>: Client host rejected: Access denied', 'rampart@example.com'],
    ['550 rejected because 192.0.2.1 is in a black list at zen.spamhaus.org', 'rampart@example.com'],
    ['550 [5.7.1] relaying denied', 'rampart@example.com'],
    ['554 denied (5.7.606)', 'rampart@example.com'],
    ['550 Not for you [#5.7.1 - policy]', 'rampart@example.com'],
    ['571 Delivery not authorized, message refused', 'rampart@example.com'],
    ['550 The from address does not match a verified Sender Identity.', 'rampart@example.com'],
    ['550 You must use a verified sender', 'rampart@example.com'],
    ["550 The 'From' address you supplied is not a Sender Signature on your account", 'rampart@example.com'],
    ['554 Message rejected: Email address is not verified.', 'rampart@example.com'],
    ['550 Unauthenticated senders not allowed', 'rampart@example.com'],
    [
      '550-5.4.5 Daily user sending limit exceeded. For more information on Gmail\r\n550 5.4.5 sending limits go to',
      'rampart@example.com',
    ],
    ['550 5.4.5 come back tomorrow', 'rampart@example.com'],
    ['550 5.4.6 Unusual sending activity detected. Please try after sometime', 'rampart@example.com'],
    ["550 5.1.90 Your message can't be sent: your daily limit for message recipients", 'rampart@example.com'],
    ['554 5.2.252 SendAsDenied; not allowed to send as this', 'rampart@example.com'],
    [
      '554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied; Failed',
      'rampart@example.com',
    ],
    ['554 Message rejected: Sending suspended for this account.', 'rampart@example.com'],
    ['554 Message rejected: Sending paused for this account.', 'rampart@example.com'],
    [
      '550 Domain example.com has exceeded the max emails per hour (100/100 (100%)) allowed.',
      'a@example.com',
    ],
    ['550 example.com has exceeded the max defers and failures', 'a@example.com'],
    ['550 Requested action not taken: too many emails per second', 'rampart@example.com'],
    ['550 Too many messages from your account', 'rampart@example.com'],
    ['550 Too many emails in the last hour', 'rampart@example.com'],
    ['550 100 mails per day, and no more', 'rampart@example.com'],
    ['554 Daily message quota exceeded', 'rampart@example.com'],
    ['550 Hourly email limit reached', 'rampart@example.com'],
    ['554 Your sending quota is used up', 'rampart@example.com'],
    ['554 Rate limit exceeded', 'rampart@example.com'],
    ['550 You have exceeded your messaging limits', 'rampart@example.com'],
    [
      "554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed: the sender's submission quota was exceeded.",
      'rampart@example.com',
    ],
    [
      '554 5.2.0 STOREDRV.Submission.Exception:OutboundSpamException; Failed [BeginDiagnosticData]WASCL verdict is Suspend',
      'rampart@example.com',
    ],
    ['550 5.4.6 Outgoing email limit exceeded', 'rampart@example.com'],
    ['550 Outgoing mail from this account has been suspended', 'rampart@example.com'],
    ['554 Sender quota exceeded', 'rampart@example.com'],
    ['550 sender limit exceeded', 'rampart@example.com'],
    ['554 submission quota is used up', 'rampart@example.com'],
    ['554 outbound quota exceeded', 'rampart@example.com'],
    ['550 Sender rate overlimit - 101.2 / 1h', 'rampart@example.com'],
    ['550 Monthly email limit exceeded', 'rampart@example.com'],
    ['550 Weekly quota exceeded', 'rampart@example.com'],
    ['550 Your plan limit of emails is exceeded', 'rampart@example.com'],
    ['554 Your account has been suspended', 'rampart@example.com'],
    ['550 sender rejected', 'rampart@example.com'],
    ['550 Sender not allowed', 'rampart@example.com'],
    ['550 The sender is blocked', 'rampart@example.com'],
    ['550 Invalid sender', 'rampart@example.com'],
    ['550 not permitted to send from this address', 'rampart@example.com'],
    ['550 You are not allowed to send more mail today', 'rampart@example.com'],
    ['550 login required', 'rampart@example.com'],
    ['550 You must log in to send', 'rampart@example.com'],
    ['550 Please sign in first', 'rampart@example.com'],
    ['550 Must issue a STARTTLS command first', 'rampart@example.com'],
    ['550 TLS is required', 'rampart@example.com'],
    ['550 Your account was temporarily suspended', 'rampart@example.com'],
    ['550 Your account is locked', 'rampart@example.com'],
    ['550 You are not authorized to send from this address', 'rampart@example.com'],
    ['554 Your daily sending quota is used up', 'rampart@example.com'],
    ['550 Please log in before you send', 'rampart@example.com'],
    ['554 Your mailbox has exceeded its daily sending limit', 'rampart@example.com'],
    ['550 your account has exceeded its limit', 'rampart@example.com'],
    ...[
      'Your account is not active',
      'Your account is under review',
      'Your account has been deactivated',
      'Your account is currently suspended',
      'Your plan has expired',
      'You have exceeded your plan',
      'You have reached the limit of your plan',
      'Please log in.',
      'You must sign in',
    ].map((words) => [`550 ${words}`, 'rampart@example.com']),
  ])('of us is no refusal of a recipient: %s', async (answer, sender) => {
    useSender(sender)
    for (const step of ['RCPT', 'DATA', '.']) {
      server.play((line) => (line.startsWith(step) ? answer : undefined))
      expect(await send('ana@example.com'), step).toMatchObject({ kind: 'later' })
    }
  })

  it.each([
    ['550 no such user here', 'ana@example.com'],
    ['554 no', 'ana@example.com'],
    ['550 5.1.1 <ana@example.com>: Recipient address rejected: User unknown', 'ana@example.com'],
    ['550 5.1.2 no such host', 'ana@example.com'],
    ['501 5.1.3 Bad recipient address syntax', 'ana@example.com'],
    ['551 5.1.6 moved', 'ana@example.com'],
    ['550 5.1.10 RecipientNotFound', 'ana@example.com'],
    ['550 5.1.70 something new', 'ana@example.com'],
    ['552 5.2.2 mailbox full since 5.7.1', 'ana@example.com'],
    ['550 5.2.1 disabled, extension 530 5.7.0', 'ana@example.com'],
    ['552 5.3.4 too large', 'ana@example.com'],
    ['550 5.1.1 <ana-rampart@example.com> unknown', 'ana-rampart@example.com'],
    ['550 <rampart@example.com.au> unknown', 'rampart@example.com.au'],
    ['550 5.1.1 <rampart@example.com> unknown', 'rampart@example.com'],
    ['550 5.1.1 <rampart@example.com> unknown', 'Rampart@EXAMPLE.com'],
    ['550 5.1.1 <ana@relay.example.com>: Recipient address rejected', 'ana@relay.example.com'],
    ['550 no user ana at relay.example.com', 'ana@relay.example.com'],
    ['550 <relay@example.com>: User unknown', 'relay@example.com'],
    ['550 no such user: relay@relay.example', 'relay@relay.example'],
    ['550 authenticate@example.com is not here', 'authenticate@example.com'],
    ['550 <relay>: no such user', 'relay@example.com'],
    ['550 "client host"@example.com is unknown', '"client host"@example.com'],
    ['550 no such user, see https://rcpthosts.example/relay', 'ana@example.com'],
    ['550 5.1.1 relay: User unknown', 'relay@example.com'],
    ['511 sorry, the relay has no mailbox of that name (#5.1.1)', 'ana@example.com'],
    ['552 mailbox full (5.2.2), since 5.7.1', 'ana@example.com'],
    ['550 no such user at [5.7.1.2]', 'ana@example.com'],
    ['550 no such user in version (15.7.1)', 'ana@example.com'],
    ['550 5.4.1 Recipient address rejected: Access denied', 'ana@example.com'],
    ['550 mail-relay1 says: no such user, returned to sender', 'ana@example.com'],
    ['550 the author of this list has left', 'ana@example.com'],
    ['552 5.2.2 over quota: daily message limit of this mailbox', 'ana@example.com'],
    ['552 5.2.2 too many messages', 'ana@example.com'],
    ['552 too many messages in this mailbox', 'ana@example.com'],
    ['552 too many messages in mailbox', 'ana@example.com'],
    ['552 mailbox full', 'ana@example.com'],
    ['552 The user has exceeded the maximum mailbox size', 'ana@example.com'],
    ['552 over quota', 'ana@example.com'],
    ['552 message exceeds the message size limit', 'ana@example.com'],
    ['554 5.4.6 mail for this domain loops back to myself', 'ana@example.com'],
    ['550 the person who sent the daily report has left', 'ana@example.com'],
    ['550 account suspended', 'ana@example.com'],
    ['550 only members are allowed to send to this list', 'ana@example.com'],
    ['550 nobody is permitted to send mail to this group', 'ana@example.com'],
    ['550 disabled: the user must log in to open the mailbox again', 'ana@example.com'],
    ['550 returned to the sender', 'ana@example.com'],
    ['554 5.2.0 STOREDRV.Deliver.Exception:QuotaExceededException; Failed', 'ana@example.com'],
    ['550 No such user. Contact your account administrator.', 'ana@example.com'],
    ['550 Mailbox disabled. Please log in to your webmail to activate it', 'ana@example.com'],
    ['550 User unknown. If this is your account, log in at the web site', 'ana@example.com'],
    ['550 mailbox weekly quota exceeded', 'ana@example.com'],
    ['550 inbox daily message limit exceeded', 'ana@example.com'],
    ['550 The recipient’s monthly quota is used up', 'ana@example.com'],
    ['550 Recipient has exceeded its monthly receiving limit', 'ana@example.com'],
    ['550 Sender is blocked by the recipient', 'ana@example.com'],
    ['550 Sender was not accepted by the recipient', 'ana@example.com'],
    ['550 you are not allowed to send an email to this group', 'ana@example.com'],
    ['550 you are not allowed to send a message to this group', 'ana@example.com'],
  ])('of a recipient is final: %s', async (answer, to) => {
    for (const step of ['RCPT', 'DATA', '.']) {
      server.play((line) => (line.startsWith(step) ? answer : undefined))
      expect(await send(to), step).toMatchObject({ kind: 'refused' })
    }
  })

  it.each([
    ['bo@bücher.example', '<bo@xn--bcher-kva.example>: Recipient address rejected'],
    ['bo@bücher.example', 'BO@XN--BCHER-KVA.EXAMPLE is not here'],
    ['bo@bücher.example', '<bo@BÜCHER.example> is not here'],
    ['bo@xn--bcher-kva.example', 'bo@bücher.example is not here'],
    ['bo@xn--e1afmkfd.xn--p1ai', 'bo@xn--e1afmkfd.xn--p1ai is not here'],
    ['bo@example.com', "bo@example.com is forwarded to <o'neil+bo@mail.corp>, who is not here"],
    ['bo@example.com', 'see https://spf.example/why?id=abo%40example.com;ip=10.0.0.7'],
    ['bo@example.com', 'abo@example.com or bo@localhost?'],
    ['bo$bo=bo@example.com', 'bo$bo=bo@example.com is not here'],
  ])('names nobody: %s in “%s”', async (to, words) => {
    server.play((line) => (line.startsWith('RCPT') ? `550-5.1.1 ${words}\r\n550 5.1.1 sorry` : undefined))
    const { answer } = await send(to)
    expect(answer).toMatch(/^RCPT TO: 550-5\.1\.1 .*…(.* 550 5\.1\.1 sorry)$/)
    expect(answer).not.toMatch(/@|%40|bo|neil|b.cher|xn--|example\.com/i)
  })

  it.each([
    ['5.1.1 ', `${'a'.repeat(400_000)} bo@example.com ${'b@'.repeat(200_000)}`],
    ['', '<"(#5.1'.repeat(100_000)],
    ['', 'relay-'.repeat(100_000)],
  ])('that is very long (%#) is told in short, and costs no time', async (code, long) => {
    server.play((line) => (line.startsWith('RCPT') ? `550 ${code}${long}` : undefined))
    const began = performance.now()
    expect((await send('bo@example.com')).answer).toHaveLength(200)
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
