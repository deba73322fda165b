import type { NotifierName } from '#core/installation/notify.ts';

/** The steps that set up a channel; code is between backticks. */
export const CHANNEL_STEPS: Readonly<Record<NotifierName, readonly string[]>> = {
  telegram: [
    'In Telegram, open @BotFather, send `/newbot` and choose a name.',
    'Paste the token that it answers with as Bot token.',
    'Send any message to your new bot, then open `https://api.telegram.org/bot<token>/getUpdates`: the number after "chat":{"id": is the Chat id.',
  ],
  slack: [
    'In Slack, create an app at api.slack.com/apps and switch on Incoming Webhooks.',
    'Choose Add New Webhook to Workspace, and the channel that receives the messages.',
    'Paste the address, which starts with `https://hooks.slack.com/services/`.',
  ],
  discord: [
    'In Discord, open the settings of the channel, then Integrations, Webhooks, New Webhook.',
    'Choose Copy Webhook URL and paste it.',
  ],
  ntfy: [
    'Install the ntfy app, or open ntfy.sh.',
    'Subscribe to a topic with a long random name: everyone who knows it can read it.',
    'Enter the same topic here; a token only where your server needs one.',
  ],
  webhook: [
    'Enter the address of a server that accepts a POST request with JSON: event, title, text and at.',
    'With a signing key each request has the header `x-tradewind-signature`: `sha256=` and the HMAC of the body.',
  ],
};

/** Fields whose label does not follow from their name. */
export const FIELD_LABELS: Readonly<Record<string, string>> = {
  chatId: 'Chat id',
  webhookUrl: 'Webhook address',
  url: 'Address',
  serverUrl: 'Server',
};
/** Settings that only few need: shown under "More". */
export const RARE_FIELDS: readonly string[] = ['serverUrl'];
