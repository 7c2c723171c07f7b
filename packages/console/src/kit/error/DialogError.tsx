/** Shows an error inside the dialog, because the dialog covers the page. */
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { describeError, errorSentence } from './describe-error.ts';

export function DialogError({ error }: { error: unknown }) {
  const { items, traceId } = describeError(error);
  return (
    <Notice tone="bad" isLive>
      {items.length > 1 ? items.map((item, index) => <p key={index}>{item}</p>) : errorSentence(error)}
      {traceId !== undefined && (
        <span className="meta">
          {' '}
          Trace id <code>{traceId}</code>
        </span>
      )}
    </Notice>
  );
}
