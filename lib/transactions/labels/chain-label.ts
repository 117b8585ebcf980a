/** `Polygon` for `polygon`; a name with capitals of its own stays as it is. */
export const chainLabel = (chain: string): string =>
  /^[a-z][a-z ]*$/.test(chain) ? chain.charAt(0).toUpperCase() + chain.slice(1) : chain
