/** Takes e-mail addresses, IBANs, credentials of addresses, and what is as long as our tokens out of a text that others have made. */
export const redact = (text: string): string =>
  text
    .replace(/\/\/[^/\s@]*@/g, '//…@')
    .replace(/[^\s@<>"'(),:;=]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}/gi, '[e-mail]')
    .replace(/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, '[IBAN]')
    .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, '[token]')
