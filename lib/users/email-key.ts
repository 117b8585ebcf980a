import 'server-only'

/** What makes two spellings of an e-mail address one person's. */
export const emailKey = (email: string) => email.trim().normalize('NFC').toLowerCase()
