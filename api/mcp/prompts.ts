import { z } from 'zod';

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly text: (input: Readonly<Record<string, unknown>>) => string;
}

const CITE =
  'Give the row id, order id or run id of every statement. Report what the tools return; where they return nothing, say so. Add no numbers of your own.';

export const PROMPTS: readonly Prompt[] = [
  {
    ...{ name: 'why_did_it_not_buy', title: 'Why did it not buy?' },
    description: 'The reasons that kept a coin from being bought since a time.',
    input: z.strictObject({ coin: z.string().max(30), since: z.string().max(40) }),
    text: ({ coin, since }) =>
      `Find the profile that trades ${String(coin)} with list_profiles. Use why_no_buy from ${String(since)} until now. Name the main reasons with their share of the time, the nearest miss, and changes of settings in that time. Then use account_health for what stops it now. ${CITE}`,
  },
  {
    ...{ name: 'review_my_settings', title: 'Review my settings' },
    description: 'Settings of a profile that have no effect, contradict each other, or did badly in backtests.',
    input: z.strictObject({ profile: z.string().max(60) }),
    text: ({ profile }) =>
      `Read the settings of the profile ${String(profile)} with profile_settings, check them with check_config, and compare them with its newest backtests. Name each problem with the setting and its value. Propose changes as text only. ${CITE}`,
  },
  {
    ...{ name: 'morning_report', title: 'Morning report' },
    description: 'Events of the last 24 hours, and problems that need attention.',
    input: z.strictObject({}),
    text: () =>
      `Report the last 24 hours: overview, then for each account its health, the closed trades of its profiles, and rows of level warn and error. Start with what needs attention. ${CITE}`,
  },
];
