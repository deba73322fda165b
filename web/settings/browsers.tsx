import type { ReactNode } from 'react';
import type { AccountId } from '#core/ids.ts';
import { changeBrowser, deleteBrowser, testBrowser } from '#api/contract/account-notifiers.ts';
import { pushObstacle, subscribeBrowser } from '#web/data/push.ts';
import { useAct, useRun } from '#web/data/read.ts';
import { count } from '#web/ui/numbers.ts';
import { Failure } from '#web/ui/notice.tsx';
import type { AccountNotifiers } from './account-notifiers.ts';
import { ChannelState, ChannelSwitch } from './channel-state.tsx';
import { TestResult } from './test-result.tsx';

interface BrowsersProps {
  id: AccountId;
  browsers: AccountNotifiers['browsers'];
  deliveries: AccountNotifiers['deliveries'];
}

/** Notifications of this and other browsers, also while the page is closed. */
export function Browsers({ id, browsers, deliveries }: BrowsersProps): ReactNode {
  const obstacle = pushObstacle();
  const subscribe = useRun(() => subscribeBrowser(id));
  return (
    <div className="channel">
      <details open={browsers.length === 0}>
        <summary>
          <b>Browser notifications</b>
          <span className="note">{browsers.length === 0 ? 'not set up' : count(browsers.length, 'browser')}</span>
        </summary>
        <div className="p-2">
          <p className="two">
            The browser shows messages also while this page is closed. Each browser and phone is switched on once.
          </p>
          {browsers.map((browser) => (
            <Browser
              key={browser.id}
              id={id}
              browser={browser}
              last={deliveries.find(({ channel }) => channel === browser.label)}
            />
          ))}
          <div className="actions">
            <button
              type="button"
              className="btn"
              disabled={obstacle !== null || subscribe.isPending}
              onClick={() => subscribe.mutate()}
            >
              Switch on in this browser
            </button>
            {obstacle === null ? null : <span className="note">{obstacle}</span>}
          </div>
          {subscribe.isError ? <Failure what="Not switched on." error={subscribe.error} /> : null}
        </div>
      </details>
    </div>
  );
}

interface BrowserProps {
  id: AccountId;
  browser: BrowsersProps['browsers'][number];
  last: BrowsersProps['deliveries'][number] | undefined;
}

function Browser({ id, browser, last }: BrowserProps): ReactNode {
  const params = { id, browserId: browser.id };
  const test = useAct(testBrowser);
  const remove = useAct(deleteBrowser);
  const change = useAct(changeBrowser);
  return (
    <>
      <div className="actions">
        <ChannelSwitch
          title={browser.label}
          on={browser.enabled}
          disabled={change.isPending}
          onChange={(enabled) => change.mutate({ params, body: { enabled } })}
        />
        <b>{browser.label}</b>
        <ChannelState enabled={browser.enabled} last={last} />
        <button type="button" className="btn small" disabled={test.isPending} onClick={() => test.mutate({ params })}>
          Send test
        </button>
        <button
          type="button"
          className="btn small"
          disabled={remove.isPending}
          onClick={() => remove.mutate({ params })}
        >
          Remove
        </button>
      </div>
      <TestResult test={test} />
      <Failure what="Not removed." error={remove.error} />
      <Failure what="Not changed." error={change.error} />
    </>
  );
}
