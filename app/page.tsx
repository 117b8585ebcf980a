import { redirect } from 'next/navigation'
import { homePage } from '#lib/access/rules/pages.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'

/** Each role is led to its own first page. */
export default async function Home() {
  const caller = await requirePage()
  redirect(homePage(caller.role))
}
