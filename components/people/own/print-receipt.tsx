'use client'

import { Printer } from 'lucide-react'
import { Button } from '#components/ui/button.tsx'

/** Prints the page, of which the style for paper makes a receipt. */
export const PrintReceipt = ({ children }: { readonly children: string }) => (
  <Button onClick={() => window.print()}>
    <Printer aria-hidden />
    {children}
  </Button>
)
