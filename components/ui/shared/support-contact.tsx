import type { ReactNode } from 'react'

/** The merchant's support, as a sentence names it, with how to reach it where the settings say. */
export function SupportContact({
  children,
  contact,
}: {
  readonly children: ReactNode
  /** An e-mail address, a telephone number or a web address, as it was typed. */
  readonly contact: string | null
}) {
  const href = contact && linkOf(contact)
  return (
    <>
      {children}
      {contact && ' ('}
      {href ? (
        <a href={href} className="underline hover:text-text">
          {contact}
        </a>
      ) : (
        contact
      )}
      {contact && ')'}
    </>
  )
}

/** Null for words that are no address. */
function linkOf(contact: string): string | null {
  if (/^[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/.test(contact)) return `mailto:${contact}`
  if (/^\+?[\d ()./-]{5,}$/.test(contact)) return `tel:${contact.replace(/[^\d+]/g, '')}`
  if (/^https?:\/\/\S+$/.test(contact) && URL.canParse(contact)) return contact
  return null
}
