/** Error page for a crash. If the code belongs to an old version that is gone from the server, it reloads instead. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Suspense, useEffect, useState } from 'react';
import { isRouteErrorResponse, useRouteError } from 'react-router';
import { retryMs } from '#kit/api/query.ts';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { lazyPart } from '#kit/later/lazy-part.ts';
import css from './CrashPage.module.css';

const NotFound = lazyPart(
  async () => (await import('#entities/NotFound.tsx')).NotFound,
  () => <Crash />,
);

const reloadedAtKey = 'slipway.reloadedAt';
const reloadPauseMs = 60_000;

/** After an upgrade the old chunks no longer exist. */
const isStaleCode = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|importing a module script failed|error loading dynamically/i.test(error.message);

const mayReload = (): boolean => Date.now() - Number(sessionStorage.getItem(reloadedAtKey) ?? 0) > reloadPauseMs;

export function CrashPage() {
  const error = useRouteError();
  if (isStaleCode(error) && mayReload()) return <MissingCode />;
  if (isRouteErrorResponse(error) && error.status === 404)
    return (
      <Suspense>
        <NotFound />
      </Suspense>
    );
  return <Crash message={error instanceof Error ? error.message : undefined} />;
}

/** Reloads only if the server answers: otherwise the window would show the browser's own error page. */
function MissingCode() {
  const [isUnreachable, setUnreachable] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      const isThere = await fetch('/runtime-config.json', { cache: 'no-store', signal: stop.signal }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (stop.signal.aborted) return;
      if (isThere) {
        sessionStorage.setItem(reloadedAtKey, String(Date.now()));
        location.reload();
        return;
      }
      setUnreachable(true);
      timer = setTimeout(() => void look(), retryMs);
    };
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, []);
  if (!isUnreachable) return null;
  return (
    <div className="wrap page">
      <section className={css.crash} role="alert">
        <h1>This page could not be loaded</h1>
        <p className="quiet">The server does not answer. We try again every {retryMs / 1000} seconds, and then the page opens by itself.</p>
      </section>
    </div>
  );
}

export function Crash({ message }: { message?: string | undefined }) {
  const { supportUrl } = runtimeConfig();
  return (
    <div className="wrap page">
      <section className={css.crash} role="alert">
        <h1>Looks like something went wrong</h1>
        <p className="quiet">Reload the page. If it happens again, contact the maintainers and tell them what you did.</p>
        {message !== undefined && <p className="mono">{message}</p>}
        <div className="row row-wrap">
          <Button variant="primary" onClick={() => location.reload()}>
            Reload the page
          </Button>
          {supportUrl !== '' && (
            <LinkButton href={supportUrl} target="_blank" rel="noreferrer">
              Contact the maintainers
            </LinkButton>
          )}
        </div>
      </section>
    </div>
  );
}
