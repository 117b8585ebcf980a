import type { ReactNode } from 'react'
import { MerchantMark } from '#components/merchant-mark.tsx'
import { merchant } from '#lib/merchant/merchant.ts'

/** Pages before anybody has signed in, in the merchant's name. */
export default function AuthLayout({ children }: { readonly children: ReactNode }) {
  const { name } = merchant()
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-[56rem] flex-col justify-center px-4 py-10 sm:px-6">
      <MerchantMark name={name} className="mb-5 justify-center text-lg" />
      {children}
    </main>
  )
}
