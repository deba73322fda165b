import { type ReactNode, useState } from 'react';
import { type Changes, valueAt } from '#core/config-path.ts';
import { PRESETS } from '#strategies/presets.ts';
import { PREVIEW_DAYS } from '#core/research/costs.ts';
import type { Account } from '#web/data/answers.ts';
import { AccountPreview } from '#web/strategies/preview.tsx';
import { Result } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { count } from '#web/ui/numbers.ts';
import { Section } from '#web/ui/section.tsx';
import { type DraftState, presetConfig, type PresetName, presetOf, type StrategyView, withSetting } from './draft.ts';
import { ReplayPanel } from './replay-panel.tsx';
import { SETTING_FIELDS, type SettingField } from './setting-fields.ts';
import { SettingInput } from './setting-input.tsx';
import type { ConfigCheck } from './replay.ts';
import type { WizardReplay } from './use-replay.ts';

const FOR: Readonly<Record<string, string>> = {
  'trailing-trade': 'ranges, dips',
  momentum: 'trends',
  rebalance: 'long term',
  signal: 'alerts of other programs',
  hold: 'only watches',
};

interface StepProps {
  account: Account;
  state: DraftState;
  config: Readonly<Record<string, unknown>>;
  strategies: readonly StrategyView[];
  replay: WizardReplay;
  asset: string;
  invented: boolean;
  onBack: () => void;
  onNext: () => void;
}

/** Step 2: strategy and settings, with their replay over the last 90 days. */
export function StrategyStep(props: StepProps): ReactNode {
  const { account, state, config, strategies, replay, asset, invented, onBack, onNext } = props;
  const { strategy } = state.draft;
  const view = strategies.find(({ name }) => name === strategy);
  const [, hash] = strategy.split('@', 2);
  const [bad, setBad] = useState<ReadonlySet<string>>(new Set());
  const isReady = (replay.check?.errors.length ?? 0) === 0 && bad.size === 0;
  const put = (next: Readonly<Record<string, unknown>>): void =>
    state.change({ configs: { ...state.draft.configs, [strategy]: next } });
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          {hash === undefined ? (
            <Verdict title={view?.title ?? strategy} replay={replay} />
          ) : (
            `${view?.title ?? strategy} is a strategy file: preview it on one coin.`
          )}
        </h1>
        <p className="two">Choose a strategy and watch the replay change. Nothing trades before step 4.</p>
      </div>
      <div className="cols">
        <StrategyChoice
          strategies={strategies}
          chosen={strategy}
          onChoose={(name) => {
            setBad(new Set());
            state.change({ strategy: name });
          }}
        />
        {hash === undefined ? (
          <Settings
            key={strategy}
            {...{ strategy, config, asset }}
            defaults={view?.defaults}
            check={replay.check}
            onConfig={put}
            onBad={(path, isBad) => {
              if (bad.has(path) !== isBad) setBad(bad.symmetricDifference(new Set([path])));
            }}
          />
        ) : (
          <Section title="Settings" note="all can be changed later" span={4}>
            <p className="p-2">
              The profile starts with the default settings of the file. Its settings page has a form for each of them.
            </p>
          </Section>
        )}
        {hash === undefined ? (
          <ReplayPanel replay={replay} unit={asset} invented={invented} />
        ) : (
          <Section title={`The last ${PREVIEW_DAYS} days`} note="default settings, one coin" span={4}>
            <AccountPreview key={hash} hash={hash} account={account} />
          </Section>
        )}
      </div>
      <div className="actions">
        <button type="button" className="btn" onClick={onBack}>
          Back
        </button>
        <button type="button" className="btn go" disabled={!isReady} onClick={onNext}>
          Continue to coins
        </button>
        <span className="note">
          {isReady ? 'Choices are kept when you leave this page.' : 'A setting is not valid.'}
        </span>
      </div>
    </>
  );
}

function Verdict({ title, replay: { answer, loading, loaded } }: { title: string; replay: WizardReplay }): ReactNode {
  if (answer !== undefined && answer.kind !== 'replayed' && loading === undefined)
    return `${title}: no replay with these settings.`;
  if (answer?.kind !== 'replayed') return `${title}: the replay of the last 90 days is loading.`;
  const { trades, totalReturn } = answer.strategy;
  // The first coins alone can have another result than all of them.
  if (loading !== undefined)
    return (
      <>
        {title}: <Result value={totalReturn} /> in 90 days with the first {count(loaded.length, 'coin')}; the others are
        loading.
      </>
    );
  const held = <Result value={answer.hold.totalReturn} />;
  if (trades === 0 && totalReturn === 0)
    return (
      <>
        {title} would not have traded in 90 days; holding the coins made {held}.
      </>
    );
  return (
    <>
      {title} would have made <Result value={totalReturn} /> in 90 days; buy and hold {held}.
    </>
  );
}

interface ChoiceProps {
  strategies: readonly StrategyView[];
  chosen: string;
  onChoose: (name: string) => void;
}

function StrategyChoice({ strategies, chosen, onChoose }: ChoiceProps): ReactNode {
  return (
    <Section title="Strategy" note={`${strategies.length} available`} span={4}>
      <div role="radiogroup" aria-label="Strategy">
        {strategies.map(({ name, title, summary }) => (
          <label key={name} className={name === chosen ? 'pick on' : 'pick'}>
            <input
              type="radio"
              name="strategy"
              aria-label={title}
              checked={name === chosen}
              onChange={() => onChoose(name)}
            />
            <span className="grow">
              <span className="flex justify-between gap-3">
                <b>{title}</b> <span className="note">{FOR[name]}</span>
              </span>
              <span className="note block pt-1">{summary}</span>
            </span>
          </label>
        ))}
      </div>
    </Section>
  );
}

interface SettingsProps {
  strategy: string;
  config: Readonly<Record<string, unknown>>;
  /** The settings of the strategy that the config does not name. */
  defaults: unknown;
  check: ConfigCheck | undefined;
  asset: string;
  onConfig: (config: Readonly<Record<string, unknown>>) => void;
  onBad: (path: string, isBad: boolean) => void;
}

function Settings({ strategy, config, defaults, check, asset, onConfig, onBad }: SettingsProps): ReactNode {
  const presets = PRESETS.get(strategy) ?? [];
  const chosen = presetOf(strategy, config);
  const fields = (SETTING_FIELDS[strategy] ?? []).filter(({ isFor }) => isFor?.(config) ?? true);
  const findings = check?.findings.filter(({ level }) => level === 'warn') ?? [];
  const fix = (changes: Changes): void =>
    onConfig(changes.reduce((made, { path, value }) => withSetting(made, path, value), config));
  const inputOf = (field: SettingField): ReactNode => (
    <SettingInput
      key={field.path}
      {...{ field, asset }}
      value={valueAt(config, field.path) ?? valueAt(defaults, field.path)}
      error={check?.errors.find(({ path }) => path === field.path)?.message}
      remarks={findings
        .filter(({ path }) => path === field.path)
        .map(({ message, fix: known }) => ({
          message,
          words: known?.words,
          onFix: () => fix(known?.changes ?? []),
        }))}
      onChange={(value) => {
        onBad(field.path, value === undefined);
        if (value !== undefined) onConfig(withSetting(config, field.path, value));
      }}
    />
  );
  const others = findings.filter(({ path }) => !fields.some((field) => field.path === path));
  return (
    <Section title="Settings" note="all can be changed later" span={4}>
      {presets.length === 0 ? <p className="p-2">This strategy has nothing to set.</p> : null}
      {presets.length === 0 ? null : (
        <div className="flex flex-wrap items-center gap-3 px-2 pb-2">
          <span className="seg" role="group" aria-label="Preset">
            {presets.map(({ name }) => (
              <button
                key={name}
                type="button"
                aria-pressed={name === chosen}
                onClick={() => onConfig(presetConfig(strategy, name satisfies PresetName))}
              >
                {name}
              </button>
            ))}
          </span>
          <span className="note">{chosen === undefined ? 'your own settings' : 'presets fill the fields'}</span>
        </div>
      )}
      {fields.filter(({ more }) => more !== true).map(inputOf)}
      {others.map(({ code, message }) => (
        <p key={code} className="care note p-2">
          <Icon name="warn" /> {message}
        </p>
      ))}
      {fields.some(({ more }) => more === true) ? (
        <details className="px-2 pt-2">
          <summary>More settings</summary>
          {fields.filter(({ more }) => more === true).map(inputOf)}
        </details>
      ) : null}
    </Section>
  );
}
