import { setNonce } from 'get-nonce'

// Radix adds a style while a dialog is open, which keeps the page behind it from scrolling. The page's policy
// accepts only styles with its nonce, which the page's scripts have: the attribute is hidden, the property is not.
if (typeof document !== 'undefined') {
  const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce
  if (nonce) setNonce(nonce)
}
