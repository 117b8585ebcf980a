import type { ReactNode } from 'react'
import { MerchantMark } from '#components/merchant-mark.tsx'
import { SupportContact } from '#components/support-contact.tsx'
import { readSettings } from '#lib/settings/read-settings.ts'

/** Pages before anybody has signed in, in the merchant's name. */
export default async function AuthLayout({ children }: { readonly children: ReactNode }) {
  const { merchantName, mark, supportContact } = await readSettings()
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-[56rem] flex-col justify-center px-4 py-10 sm:px-6">
      <MerchantMark name={merchantName} mark={mark} className="mb-5 justify-center text-lg" />
      {children}
      <p className="mt-5 text-center text-muted text-sm">
        Trouble getting in? Ask <SupportContact merchant={merchantName} contact={supportContact} />.
      </p>
    </main>
  )
}
