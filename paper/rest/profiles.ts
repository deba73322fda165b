/** The environment of the real exchange that the paper exchange imitates. */
export const PROFILES = ['live', 'testnet', 'demo'] as const;
export type Profile = (typeof PROFILES)[number];

/** The environment. The control plane changes it while the exchange runs. */
export interface Environment {
  profile: Profile;
}

/** Test environments have no wallet API: they serve only /api/. */
export const isServed = ({ profile }: Environment, path: string): boolean =>
  profile === 'live' || path.startsWith('/api/');
