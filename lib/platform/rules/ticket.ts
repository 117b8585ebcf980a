/** Stands in the address of a merchant's tickets for what names one. */
export const ticketPlace = '{ticket}'

/** What names a ticket: `HELP-12`, `48213`. */
const nameOfTicket = /^#?([\w.-]{1,60})$/

/** Whether a text is such an address: https, with the place for the name once, past the host. */
export function isTicketAddress(address: string): boolean {
  const hosts = ['a', 'b'].map((name) => httpsAddress(address.replace(ticketPlace, name))?.host)
  return address.split(ticketPlace).length === 2 && hosts[0] !== undefined && hosts[0] === hosts[1]
}

/**
 * The link that staff mean: a ticket's name or its whole address where the merchant has said where tickets are, any address with
 * https where not. Null for anything else.
 */
export function readTicket(text: string, address: string | null): string | null {
  if (address === null) return httpsAddress(text)?.href ?? null
  const name = nameOfTicket.exec(text)?.[1] ?? nameIn(text, address)
  return name === null ? null : address.replace(ticketPlace, name)
}

/** How a link reads: the ticket's name, or where it leads. */
export const ticketName = (href: string, address: string | null): string =>
  (address === null ? null : nameIn(href, address)) ?? href.replace('https://', '')

function nameIn(text: string, address: string): string | null {
  const [before = '', after = ''] = address.split(ticketPlace)
  if (!text.startsWith(before) || !text.endsWith(after) || text.length < before.length + after.length)
    return null
  const name = text.slice(before.length, text.length - after.length)
  return nameOfTicket.exec(name)?.[0] ?? null
}

function httpsAddress(text: string): URL | null {
  if (!URL.canParse(text)) return null
  const address = new URL(text)
  return address.protocol === 'https:' && address.username === '' ? address : null
}
