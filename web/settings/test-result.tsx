import type { ReactNode } from 'react';
import { Failure, Notice } from '#web/ui/notice.tsx';

interface TestResultProps {
  test: {
    readonly isError: boolean;
    readonly error: unknown;
    readonly data: { readonly ok: boolean; readonly detail: string | null } | undefined;
  };
}

/** The answer of the receiver of a test message. */
export function TestResult({ test: { isError, error, data } }: TestResultProps): ReactNode {
  if (isError) return <Failure what="Not sent." error={error} />;
  if (data === undefined) return null;
  return data.ok ? (
    <Notice tone="next">The test message was accepted.</Notice>
  ) : (
    <Notice tone="care" title="The test message was not accepted.">
      {data.detail}
    </Notice>
  );
}
