/** ASSUMED: what GET /merchant/configuration answers (§4.3 names no such answer): what the events of scenarios are about. */
export const merchantConfiguration = {
  environment: 'sandbox',
  fiat_currencies: ['EUR', 'GBP', 'USD'],
  stablecoins: ['usdc', 'usdt'],
  chains: ['arbitrum', 'base', 'ethereum', 'optimism', 'polygon'],
}
