/** Which environment of the real exchange this one stands for. */
export const PROFILES = ['live', 'testnet', 'demo'] as const;
export type Profile = (typeof PROFILES)[number];

/** The environment; the control plane changes it while the exchange runs. */
export interface Environment {
  profile: Profile;
}

/** Test environments have no wallet interface and stand alone: nothing but /api/ is there. */
export const isServed = ({ profile }: Environment, path: string): boolean =>
  profile === 'live' || path.startsWith('/api/');
