/** The page's error banner: what happened, the trace id, and one button that copies everything support needs (specification §8). */
import { Banner } from '@slipway/ui/feedback/Banner.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Copy, useCopy } from '@slipway/ui/text/Copy.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { ArrowUpRight } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useParams } from 'react-router';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { useStore } from '#kit/state/store.ts';
import { describeError, type ErrorDescription } from './describe-error.ts';
import css from './ErrorBanner.module.css';
import { clearError, supportContext, useGlobalError, type GlobalError } from './global-error.ts';

const Markdown = lazy(() => import('./Markdown.tsx'));
const TraceLink = lazy(() => import('./TraceLink.tsx'));

export function ErrorBanner() {
  const shown = useGlobalError();
  // The key resets the expanded state for a new error.
  return shown ? <ErrorDetails key={shown.number} shown={shown} /> : null;
}

/** Context that support needs besides the error itself. */
const useContext = (): Record<string, unknown> => {
  return { ...useStore(supportContext), params: useParams(), page: location.pathname };
};

function ErrorDetails({ shown }: { shown: GlobalError }) {
  const description = describeError(shown.error);
  const { traceId, heading, items, detail } = description;
  const [isFull, setFull] = useState(traceId === undefined);
  return (
    <div className={`wrap ${css.place}`}>
      <Banner
        title={heading}
        {...(traceId === undefined ? {} : { traceId, traceNote: 'Please contact the support team and paste the error details.' })}
        onClose={() => clearError()}
        actions={<Actions description={description} isFull={isFull} onToggle={() => setFull(!isFull)} />}
      >
        {items.length > 0 && (
          <ul className={css.items}>
            {items.map((item, index) => (
              <li key={index}>{item}</li>
            ))}
          </ul>
        )}
        {detail !== undefined && (
          <Suspense fallback={<p>{detail}</p>}>
            <Markdown text={detail} />
          </Suspense>
        )}
        {isFull && <FullError description={description} />}
      </Banner>
    </div>
  );
}

function Actions({ description, isFull, onToggle }: { description: ErrorDescription; isFull: boolean; onToggle: () => void }) {
  const { outcome, copy } = useCopy();
  const context = useContext();
  const { supportUrl } = runtimeConfig();
  const words = { idle: 'Copy Error Details', copied: 'Copied', failed: 'Could not copy' }[outcome];
  return (
    <>
      <Button size="sm" aria-expanded={isFull} onClick={onToggle}>
        {isFull ? 'Hide Full Error' : 'View Full Error'}
      </Button>
      <Copy text={JSON.stringify({ error: description.full, ...context }, undefined, 2)} what="full error" />
      <Button size="sm" onClick={() => void copy(JSON.stringify({ traceId: description.traceId, ...context }, undefined, 2))}>
        {words}
      </Button>
      {description.traceId !== undefined && (
        <Suspense>
          <TraceLink traceId={description.traceId} />
        </Suspense>
      )}
      {supportUrl !== '' && (
        <LinkButton size="sm" href={supportUrl} target="_blank" rel="noreferrer">
          Contact Support <ArrowUpRight aria-hidden="true" />
        </LinkButton>
      )}
    </>
  );
}

function FullError({ description }: { description: ErrorDescription }) {
  return (
    <pre className={css.full} tabIndex={0} aria-label="Full error">
      {JSON.stringify(description.full, undefined, 2)}
    </pre>
  );
}
