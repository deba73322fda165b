import { z } from 'zod';
import { NOTIFIER_NAMES, type Notification, type NotifierName } from '#core/installation/notify.ts';
import { NOTIFIERS } from '#integrations/notifiers.ts';
import { requireValid } from '#api/frame/validate.ts';

type Texts = Readonly<Record<string, string>>;

interface Stored<Rules> {
  readonly enabled: boolean;
  readonly settings: Texts;
  readonly secrets: Texts;
  readonly rules: Rules;
  readonly updatedAt: Date;
}

/** A notifier for responses and the audit log: of a secret only whether it is set. */
export const notifierView = <Rules>(
  provider: NotifierName,
  { enabled, settings, secrets, rules, updatedAt }: Stored<Rules>,
) => ({
  provider,
  enabled,
  settings,
  secrets: Object.fromEntries(NOTIFIERS[provider].secretNames.map((name) => [name, Object.hasOwn(secrets, name)])),
  rules,
  updatedAt,
});

/** Each kind of notifier with its fields. */
export const notifierKinds = () =>
  NOTIFIER_NAMES.map((provider) => {
    const { title, settings, secretNames } = NOTIFIERS[provider];
    const settingsSchema = { ...z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' }) };
    return { provider, title, settingsSchema, secretNames: [...secretNames] };
  });

/**
 * Settings and secrets as they are stored after a change, and the names of the secrets that were sent. An omitted or
 * empty secret is unchanged. Throws validation_failed.
 */
export function mergedNotifier(
  provider: NotifierName,
  before: Pick<Stored<unknown>, 'settings' | 'secrets'> | undefined,
  body: Pick<Stored<unknown>, 'settings' | 'secrets'>,
) {
  const { settings, secrets } = NOTIFIERS[provider];
  const sent = Object.entries(body.secrets).filter(([, value]) => value !== '');
  const parsed = requireValid(settings, body.settings, 'settings');
  // A stored secret is never sent to another server than the one that it was entered for.
  const kept = before?.settings['serverUrl'] === parsed['serverUrl'] ? before?.secrets : {};
  const merged = requireValid(secrets, { ...kept, ...Object.fromEntries(sent) }, 'secrets');
  return { settings: parsed, secrets: merged, secretsSent: sent.map(([name]) => name) };
}

export const testMessage = (now: Date): Notification => ({
  event: 'test',
  title: 'Tradewind: a test message',
  text: 'Messages arrive here.',
  at: now.toISOString(),
});

/** The result of a test message as it is returned. */
export const deliveryView = (delivery: { readonly ok: true } | { readonly ok: false; readonly detail: string }) => ({
  ok: delivery.ok,
  detail: delivery.ok ? null : delivery.detail,
});
