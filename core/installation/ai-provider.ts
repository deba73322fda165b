/** Supported APIs: Anthropic messages, or any endpoint with chat completions. */
export const AI_PROVIDERS = ['anthropic', 'openai-compatible'] as const;
export type AiProviderName = (typeof AI_PROVIDERS)[number];

export const CREDENTIAL_KINDS = ['console-key', 'oauth-token', 'endpoint-key'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];
