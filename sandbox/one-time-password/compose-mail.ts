import type { SendMailOptions } from 'nodemailer'

/** The mail with a one-time password, as plain text and as HTML. ASSUMED: the default sender and content (§1). */
export function composeMail(mail: {
  id: string
  email: string
  code: string
  sent_at: Date
  expiresAt: Date
  publicUrl: string
}): SendMailOptions {
  const host = new URL(mail.publicUrl).hostname
  const validity = `It can be used once, until ${shown(mail.expiresAt)} UTC.`
  const warning = 'If you did not ask for it, you can ignore this mail. Give the code to nobody.'
  return {
    from: `no-reply@${host}`,
    to: { name: '', address: mail.email },
    date: mail.sent_at,
    messageId: `<${mail.id}@${host}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    subject: 'Your one-time password',
    text: `Your one-time password is ${mail.code}\n\n${validity}\n${warning}\n`,
    html: `<p>Your one-time password is</p>
<p style="font: 600 28px monospace; letter-spacing: 0.1em">${mail.code}</p>
<p>${validity}<br>${warning}</p>
`,
  }
}

const shown = (moment: Date) =>
  moment.toLocaleString('en-GB', { timeZone: 'UTC', dateStyle: 'long', timeStyle: 'short' })
