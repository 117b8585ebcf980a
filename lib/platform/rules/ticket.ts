/** The address of a merchant's tickets has this text in place of a ticket's name. */
export const ticketPlace = '{ticket}'

/** A ticket's name looks like `HELP-12` or `48213`. */
const nameOfTicket = /^#?([\w.-]{1,60})$/

/** `isTicketAddress` is true for an https address that has the place for the name once, after the host. */
export function isTicketAddress(address: string): boolean {
  const hosts = ['a', 'b'].map((name) => httpsAddress(address.replace(ticketPlace, name))?.host)
  return address.split(ticketPlace).length === 2 && hosts[0] !== undefined && hosts[0] === hosts[1]
}

/**
 * `readTicket` returns the link that staff mean. With an address of tickets, it accepts a ticket's name or full address;
 * without one, any https address. It is null for anything else.
 */
export function readTicket(text: string, address: string | null): string | null {
  if (address === null) return httpsAddress(text)?.href ?? null
  const name = nameOfTicket.exec(text)?.[1] ?? nameIn(text, address)
  return name === null ? null : address.replace(ticketPlace, name)
}

/** A link is shown as the ticket's name, or as its address. */
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
