/** Ends a page that failed: by this number the admin finds the error in the log. Without one, the time has to do. */
export function TellAdmin({ digest }: { readonly digest: string | undefined }) {
  return (
    <>
      If it fails again, tell your admin{' '}
      {digest ? (
        <>
          the number <span className="mono text-text">{digest}</span>
        </>
      ) : (
        'when it happened'
      )}
      .
    </>
  )
}
