/** Rights of an API token. Every scope reads; `manage` contains the others. */
export const TOKEN_SCOPES = ['read', 'research', 'trade', 'manage'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];
