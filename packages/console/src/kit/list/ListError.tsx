/** Error and no-permission state of a list: what could not be loaded, whom to ask, and a retry button. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { isStatus } from '#kit/api/errors.ts';
import { retries, type FailedQuery } from '#kit/api/query.ts';
import { messageFor } from '#kit/error/messages.ts';

export interface ListErrorProps {
  /** "services": as in "The services could not be loaded". */
  what: string;
  query: FailedQuery;
  /** Whom to ask for access, shown after a 403. */
  noRight?: ReactNode;
}

export function ListError({ what, query, noRight }: ListErrorProps) {
  const { error, attempt } = query;
  if (isStatus(error, 403)) {
    const [first] = error.errors;
    return (
      <EmptyState level={2} kind="no-right" title={`You may not see the ${what}`}>
        {noRight ?? (first ? messageFor(first.code, first.context) : 'Ask an owner of the team.')}
      </EmptyState>
    );
  }
  const isOver = attempt >= retries || isStatus(error, 401, 404);
  return (
    <EmptyState
      level={2}
      kind="error"
      title={`The ${what} could not be loaded`}
      actions={
        <Button icon={<RotateCw aria-hidden="true" />} onClick={() => void query.mutate()}>
          Try now
        </Button>
      }
    >
      {isOver
        ? 'This is not an empty list.'
        : `This is not an empty list. We try again every 4 seconds; attempt ${Math.max(1, attempt)} of ${retries}.`}
    </EmptyState>
  );
}
