/** Origins with WebSocket schemes; pages may open sockets to these only. */
const socketOrigins = (origins: readonly string[]): string[] => origins.map((origin) => origin.replace(/^http/, 'ws'));

/** No inline scripts or styles, no foreign hosts, no frames. */
function contentSecurityPolicy(origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...socketOrigins(origins)].join(' '),
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** After one visit over https a browser uses only https, for a year. */
export const HSTS = { 'strict-transport-security': 'max-age=31536000' } as const;

export const securityHeaders = (origins: readonly string[]): Record<string, string> => ({
  'content-security-policy': contentSecurityPolicy(origins),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
});
