import { setNonce } from 'get-nonce'

// While a dialog is open, Radix adds a style that keeps the page behind it from scrolling. The page's policy takes styles
// with its nonce alone, which the scripts of the page have; the attribute is hidden, the property is not.
if (typeof document !== 'undefined') {
  const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce
  if (nonce) setNonce(nonce)
}
