/** Rampart's mark is a wall with a gate. */
export function Logo({ className = 'size-5.5' }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 24 24" className={className} aria-hidden="true">
      <path d="M3 20V9h3V6h4v3h4V6h4v3h3v11h-7v-5a2 2 0 0 0-4 0v5z" fill="currentColor" />
    </svg>
  )
}
