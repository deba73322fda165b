import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { strategiesQuery } from '#web/data/queries.ts';
import { FirstChoicesForm } from '#web/config/first-choices.tsx';
import { type FirstChoices, firstConfig, STRATEGY } from '#web/config/first-config.ts';
import { Say } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { moneyUnit, tagOf } from '#web/ui/accounts.ts';
import { multiplierOf } from '#web/ui/numbers.ts';
import type { Account } from './welcome-account.tsx';

interface StepProps {
  account: Account;
  choices: FirstChoices;
  onChange: (choices: FirstChoices) => void;
  onBack: () => void;
  onNext: () => void;
}

/** Step 2: how it trades, with what the choices would do to one buy at a round price. */
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
        <h1 className="verdict">Choose how it trades. Three choices are enough.</h1>
        <p className="two">Every choice can be changed later, also while it trades.</p>
      </div>
      <div className="cols">
        <Section title="Three choices" note="three more can wait" span={6}>
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

/** What a price has to rise to pay 0.1 % on the buy and on the sale. */
const USUAL_FEES = 1.002;

/** The levels of one trade that begins at 100.00, to show what the percentages mean. */
function Example({ choices }: { choices: FirstChoices }): ReactNode {
  const at = (part: string, side: 'below' | 'above', from = 100): number =>
    from * Number(multiplierOf(part, side) ?? Number.NaN);
  const show = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : '–');
  const arm = at(choices.arm, 'above');
  return (
    <>
      <p className="px-2 pb-2">If the lowest price of the last 60 candles were 100.00 and it bought there:</p>
      <dl className="dl">
        <dt>It buys at</dt>
        <dd>{show(at(choices.nearLow, 'above'))} or lower</dd>
        <dt>Bought at 100.00, it sells at a loss at</dt>
        <dd>{show(at(choices.stop, 'below'))} or lower</dd>
        <dt>The trailing exit starts at</dt>
        <dd>{show(arm)} or higher</dd>
        <dt>If that is the best price, it sells at</dt>
        <dd>{show(at(choices.trail, 'below', arm))} or lower</dd>
      </dl>
      {at(choices.trail, 'below', arm) < 100 * USUAL_FEES ? (
        <Say tone="care" title="Close to the fees.">
          Exchanges usually take 0.1 % of the buy and 0.1 % of the sale, so that last sale would bring a little less
          than it cost. Start the exit later, or give back less.
        </Say>
      ) : (
        <p className="note p-2">Before fees. The exchange takes its fee on the buy and on the sale.</p>
      )}
    </>
  );
}
