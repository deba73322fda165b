import type { ReactNode } from 'react';
import { Section } from '#web/ui/section.tsx';
import { CopyText } from './copy-text.tsx';

/** Stands for the text of a token that is no longer known. */
const PLACEHOLDER = 'tw_…';

const headerOf = (token: string): string => `Authorization: Bearer ${token}`;

const programConfig = (url: string, token: string): string =>
  JSON.stringify(
    {
      mcpServers: {
        tradewind: {
          command: 'node',
          args: ['/path/to/tradewind/cli/tradewind.js', 'mcp', '--url', url],
          env: { TRADEWIND_TOKEN: token },
        },
      },
    },
    null,
    2,
  );

/** How a script or an assistant (MCP) uses a token; `token` is the new one, while it is shown. */
export function ConnectHelp({ token = PLACEHOLDER }: { token?: string | undefined }): ReactNode {
  const url = location.origin;
  return (
    <Section title="Connect a program" note={token === PLACEHOLDER ? 'put your token in place of tw_…' : undefined}>
      <details className="px-2" open>
        <summary>An assistant that speaks MCP over HTTP</summary>
        <p className="two">It needs the address {url}/api/mcp and the header. For Claude Code:</p>
        <CopyText
          name="the command"
          text={`claude mcp add --transport http tradewind ${url}/api/mcp --header "${headerOf(token)}"`}
        />
      </details>
      <details className="px-2">
        <summary>An assistant that starts programs</summary>
        <p className="two">
          Claude Desktop reads it from claude_desktop_config.json. Put the path of your checkout in place of
          /path/to/tradewind.
        </p>
        <CopyText name="the configuration" text={programConfig(url, token)} />
      </details>
      <details className="px-2">
        <summary>A script or the command line</summary>
        <p className="two">Every operation of the API takes the header; the command line reads TRADEWIND_TOKEN.</p>
        <CopyText name="the request" text={`curl -H "${headerOf(token)}" ${url}/api/profiles`} />
      </details>
    </Section>
  );
}
