/** The sandbox's mailbox of one address. */
export const mailboxOf = (sandboxUrl: string, email: string) =>
  `${new URL('/mailbox', sandboxUrl).href}?email=${encodeURIComponent(email)}`
