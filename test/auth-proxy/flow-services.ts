import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { loadPackage } from './stub-providers.ts';

/** Ports of this machine inside the tests' own network: the identity provider and the service behind the proxy. */
const IDP_PORT = 9000;
const SERVICE_PORT = 9001;

interface Provider {
  proxy: boolean;
  listen(port: number, host: string): void;
}
interface ProviderPackage {
  readonly default: new (issuer: string, options: Readonly<Record<string, unknown>>) => Provider;
}

/** A real OpenID provider with one application. `claimBytes` makes its tokens larger. */
export async function startProvider(claimBytes: number): Promise<void> {
  const { default: Provider } = await loadPackage<ProviderPackage>('oidc-provider');
  const padding = randomBytes(claimBytes).toString('base64').slice(0, claimBytes);
  const provider = new Provider('https://idp.lab.test/', {
    clients: [
      {
        client_id: 'cid',
        client_secret: 'abc',
        redirect_uris: ['https://auth.lab.test/oauth2/callback'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'padding'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: true } },
    cookies: { keys: ['key'] },
    pkce: { required: () => true },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@lab.test`, email_verified: true, name: id, padding }),
    }),
  });
  provider.proxy = true;
  provider.listen(IDP_PORT, '127.0.0.1');
}

/** The protected service: it answers with the request and its user. */
export function startService(): void {
  createServer(({ url, headers }, response) => {
    const of = (name: string): unknown => headers[`x-auth-request-${name}`];
    const told = { url, user: of('user'), email: of('email'), token: of('access-token') };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(told));
  }).listen(SERVICE_PORT, '127.0.0.1');
}
