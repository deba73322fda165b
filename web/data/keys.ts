/** Keys of the query cache; a shorter key matches the longer keys that start with it. */
export const keys = {
  status: ['status'] as const,
  onboarding: ['onboarding'] as const,
  session: ['session'] as const,
  killSwitch: ['kill-switch'] as const,
  risk: ['risk'] as const,
  dashboard: ['dashboard'] as const,
  accounts: ['accounts'] as const,
  deadLetters: ['dead-letters'] as const,
  strategies: ['strategies'] as const,
  symbols: (accountId: string) => ['symbols', accountId] as const,
  profiles: ['profiles'] as const,
  profile: (id: string) => ['profile', id] as const,
  coins: (id: string) => ['coins', id] as const,
  coin: (id: string, symbol: string) => ['coin', id, symbol] as const,
  logs: (id: string, filters?: string) =>
    filters === undefined ? (['logs', id] as const) : (['logs', id, filters] as const),
  timeline: (id: string, symbol: string) => ['timeline', id, symbol] as const,
  trace: (id: string, symbol: string) => ['trace', id, symbol] as const,
};
