import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/**
 * The merchant's mark and name are as their customers know them. Without an image, the name's first letter is the
 * mark.
 */
export function MerchantMark({
  name,
  mark,
  whole = false,
  className,
}: {
  readonly name: string
  /** `mark` is an image as a data URL. */
  readonly mark: string | null
  /** `whole`: a long name goes on in another line and does not end in an ellipsis. */
  readonly whole?: boolean
  readonly className?: string
}) {
  return (
    <p className={clsx('flex min-w-0 items-center gap-2.5 font-brand tracking-[-0.01em]', className)}>
      {mark ? (
        // biome-ignore lint/performance/noImgElement: it is a small data URL, and next/image adds an inline style
        <img src={mark} alt="" className="size-6.5 shrink-0 rounded-control object-contain" />
      ) : (
        <span
          className="grid size-6.5 shrink-0 place-items-center rounded-control bg-ink font-brand text-on-ink text-sm"
          aria-hidden
        >
          {name.slice(0, 1).toUpperCase()}
        </span>
      )}
      <span title={name} className={whole ? 'min-w-0 text-balance break-words' : 'truncate'}>
        {name}
      </span>
    </p>
  )
}

/** A sentence names the merchant's support, with its contact when the settings have one. */
export function SupportContact({
  children,
  contact,
}: {
  readonly children: ReactNode
  /** `contact` is an e-mail address, a telephone number or a web address, as it was typed. */
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

/** The link is null for a text that is no address. */
function linkOf(contact: string): string | null {
  if (/^[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/.test(contact)) return `mailto:${contact}`
  if (/^\+?[\d ()./-]{5,}$/.test(contact)) return `tel:${contact.replace(/[^\d+]/g, '')}`
  if (/^https?:\/\/\S+$/.test(contact) && URL.canParse(contact)) return contact
  return null
}
