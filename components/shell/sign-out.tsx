import { LogOut } from 'lucide-react'

/** Ends the session on the server, which then sends the browser to the sign-in page. */
export function SignOut() {
  return (
    <form method="post" action="/api/sign-out">
      <button
        type="submit"
        className="flex h-8 w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover"
      >
        <LogOut className="size-4 text-muted" aria-hidden />
        Sign out
      </button>
    </form>
  )
}
