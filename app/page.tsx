import { redirect } from 'next/navigation'
import { requirePage } from '#lib/auth/require-page.ts'
import { homePage } from '#lib/domain/access/home-page.ts'

/** Leads everybody to the page that their role begins with. */
export default async function Home() {
  const caller = await requirePage()
  redirect(homePage(caller.role))
}
