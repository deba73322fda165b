import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { strategiesQuery } from '#web/data/queries.ts';
import { FirstChoicesForm } from '#web/config/first-choices.tsx';
import { type FirstChoices, firstConfig, STRATEGY } from '#web/config/first-config.ts';
import { Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { moneyUnit, tagOf } from '#web/ui/accounts.ts';
import { multiplierOf, percent } from '#web/ui/numbers.ts';
import type { Account } from './welcome-account.tsx';

interface StepProps {
  account: Account;
  choices: FirstChoices;
  onChange: (choices: FirstChoices) => void;
  onBack: () => void;
  onNext: () => void;
}

/** Step 2: the strategy settings, with an example trade at a round price. */
export function TradeStep({ account, choices, onChange, onBack, onNext }: StepProps): ReactNode {
  const { data } = useQuery(strategiesQuery);
  const strategy = data?.strategies.find(({ name }) => name === STRATEGY);
  const [errors, setErrors] = useState<Partial<Record<keyof FirstChoices, string>>>({});
  const next = (): void => {
    const made = firstConfig(choices);
    setErrors(made.kind === 'refused' ? made.errors : {});
    if (made.kind === 'config') onNext();
  };
  return (
    <>
      <div className="head">
        <h1 className="verdict">Choose the settings. Three are enough.</h1>
        <p className="two">Every setting can be changed later, also while the profile is running.</p>
      </div>
      <div className="cols">
        <Section title="Settings" span={6}>
          <FirstChoicesForm
            choices={choices}
            errors={errors}
            asset={moneyUnit(tagOf(account), 'USDT')}
            onChange={onChange}
          />
          <div className="actions">
            <button type="button" className="btn" onClick={onBack}>
              Back
            </button>
            <button type="button" className="btn go" onClick={next}>
              Continue to coins
            </button>
            <span className="note">Nothing trades before step 3.</span>
          </div>
        </Section>
        <Section title={strategy?.title ?? 'Strategy'} note={STRATEGY} span={6}>
          {strategy === undefined ? null : <p className="two px-2 pb-3">{strategy.summary}</p>}
          <Example choices={choices} />
        </Section>
      </div>
    </>
  );
}

/** Fees of a buy and a sale of 0.1 % each, for a buy at 100. */
const USUAL_FEES = 0.2;

/** The price levels of one trade at 100.00, to illustrate the percentages. */
function Example({ choices }: { choices: FirstChoices }): ReactNode {
  const at = (part: string, side: 'below' | 'above', from = 100): number =>
    from * Number(multiplierOf(part, side) ?? Number.NaN);
  const show = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : '–');
  const arm = at(choices.arm, 'above');
  const gain = at(choices.trail, 'below', arm) - 100;
  return (
    <>
      <p className="px-2 pb-2">Example: the 60-candle low is 100.00.</p>
      <dl className="dl">
        <dt>Buys at</dt>
        <dd>{show(at(choices.nearLow, 'above'))} or lower</dd>
        <dt>Stop loss of a buy at 100.00</dt>
        <dd>{show(at(choices.stop, 'below'))} or lower</dd>
        <dt>Trailing stop starts at</dt>
        <dd>{show(arm)} or higher</dd>
        <dt>Earliest exit of the trailing stop</dt>
        <dd>{show(at(choices.trail, 'below', arm))} or lower</dd>
      </dl>
      {gain < USUAL_FEES ? (
        <Notice
          tone="care"
          title={
            gain > 0
              ? `Fees eat ${percent(USUAL_FEES / gain, 0)} of the earliest exit.`
              : 'The earliest exit makes a loss.'
          }
        >
          Exchanges usually charge 0.1 % of the buy and 0.1 % of the sale. Start the trailing stop later, or reduce its
          distance.
        </Notice>
      ) : (
        <p className="note p-2">Before fees. The exchange charges a fee on the buy and on the sale.</p>
      )}
    </>
  );
}
