import type { ReactNode } from 'react';
import { formatDecimal } from '#core/amount/decimal.ts';
import { useZone } from '#web/data/session.tsx';
import { moneyUnit, type Purse } from '#web/ui/accounts.ts';
import { money } from '#web/ui/numbers.ts';
import { age, moment } from '#web/ui/time.ts';
import type { Verdict } from './verdict.ts';
import { Gain } from '#web/ui/figures.tsx';

const plural = (n: number, one: string, many: string): string => (n === 1 ? one : many);

/** The page's answer to "is my money in order?", no wider than the checks behind it. */
export function VerdictLine({ verdict, purse }: { verdict: Verdict; purse: Purse | undefined }): ReactNode {
  const zone = useZone();
  const worth =
    purse === undefined || purse.equity === null ? null : (
      <b className="nb">
        {money(formatDecimal(purse.equity), purse.asset)} {moneyUnit(purse.tag, purse.asset)}
      </b>
    );
  switch (verdict.kind) {
    case 'no-profile':
      return <>Nothing trades yet.</>;
    case 'service-silent':
      return <>The service does not answer. What you see below may be old.</>;
    case 'worker-down':
      return <>The worker is down, so nothing is decided.{worth === null ? null : <> Last known worth: {worth}.</>}</>;
    case 'stopped':
      return (
        <>
          Buying is stopped
          {verdict.since === null ? '' : ` since ${moment(Date.parse(verdict.since), zone, Date.now())}`}.
          {worth === null ? null : <> Worth {worth}; coins can still be sold.</>}
        </>
      );
    case 'key-refused':
      return (
        <>
          {verdict.account} can not trade: {verdict.cause}.
        </>
      );
    case 'account-faults':
      return (
        <>
          {verdict.account} has stopped on a fault {verdict.count} {plural(verdict.count, 'time', 'times')} and starts
          again each time: {verdict.cause}.
        </>
      );
    case 'wallet-unknown':
      return <>The wallet of {verdict.account} has not been read yet.</>;
    case 'wallet-old':
      return (
        <>
          The wallet of {verdict.account} was last read {age(verdict.ageMs)} ago. It held {worth}.
        </>
      );
    case 'unanswered':
      return (
        <>
          {verdict.count} {plural(verdict.count, 'order has', 'orders have')} no answer yet. Last known worth: {worth}.
        </>
      );
    case 'all-off':
      return <>Every profile is off, so nothing is decided. Worth {worth}.</>;
    case 'no-coin':
      return <>No running profile has a coin, so nothing is decided. Worth {worth}.</>;
    case 'page-behind':
      return <>The worker is live, but this page lost its live updates. Last known worth: {worth}.</>;
    case 'trading':
      return (
        <>
          The bot is trading with {worth},{' '}
          {purse === undefined ? null : <Gain value={purse.realisedToday} unit={purse.asset} bare />} realised today.
        </>
      );
  }
}
