/** The avatar shows a person's initials. It decorates a name, or a button that names the person. */
export function Avatar({ name }: { readonly name: string }) {
  return (
    <span
      aria-hidden
      data-initials={initials(name)}
      className="grid size-7 shrink-0 place-items-center rounded-full border border-line-strong bg-hover font-title text-2xs text-muted after:content-[attr(data-initials)]"
    />
  )
}

function initials(name: string): string {
  const words = name.split(/[\s@._-]+/u).filter((word) => word !== '')
  return words
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join('')
}
