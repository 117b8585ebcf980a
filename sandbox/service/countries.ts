/** ASSUMED: which countries are supported, and the answer's shape (§4.3 names the path only). */
export const countries = [
  country('AT', 'Austria'),
  country('BE', 'Belgium'),
  country('BG', 'Bulgaria'),
  country('CH', 'Switzerland', { corporates: false }),
  country('CY', 'Cyprus'),
  country('CZ', 'Czechia'),
  country('DE', 'Germany'),
  country('DK', 'Denmark'),
  country('EE', 'Estonia'),
  country('ES', 'Spain'),
  country('FI', 'Finland'),
  country('FR', 'France'),
  country('GB', 'United Kingdom'),
  country('GR', 'Greece'),
  country('HR', 'Croatia'),
  country('HU', 'Hungary'),
  country('IE', 'Ireland'),
  country('IT', 'Italy'),
  country('LT', 'Lithuania'),
  country('LU', 'Luxembourg'),
  country('LV', 'Latvia'),
  country('MT', 'Malta'),
  country('NL', 'Netherlands'),
  country('NO', 'Norway', { corporates: false }),
  country('PL', 'Poland'),
  country('PT', 'Portugal'),
  country('RO', 'Romania'),
  country('SE', 'Sweden'),
  country('SI', 'Slovenia'),
  country('SK', 'Slovakia'),
  country('US', 'United States', { corporates: false }),
]

function country(code: string, name: string, { corporates } = { corporates: true }) {
  return {
    country_code: code,
    country_name: name,
    is_individual_supported: true,
    is_corporate_supported: corporates,
  }
}

/**
 * ASSUMED: the answer to GET /merchant/configuration is the content of scenarios' events, since §4.3 names no such answer.
 */
export const merchantConfiguration = {
  environment: 'sandbox',
  fiat_currencies: ['EUR', 'GBP', 'USD'],
  stablecoins: ['usdc', 'usdt'],
  chains: ['arbitrum', 'base', 'ethereum', 'optimism', 'polygon'],
}
