/** What is shown where a page broke. Code of an older version that is gone from the server is simply loaded anew. */
import { Button } from '@slipway/ui/Button.tsx';
import { LinkButton } from '@slipway/ui/LinkButton.tsx';
import { useEffect } from 'react';
import { isRouteErrorResponse, useRouteError } from 'react-router';
import { runtimeConfig } from '#api/runtime-config.ts';
import { NotFound } from '#lib/NotFound.tsx';
import css from './CrashPage.module.css';

const reloadedAtKey = 'slipway.reloadedAt';
const reloadPauseMs = 60_000;

/** After a new version was installed the old chunks are not there any more. */
const isStaleCode = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|importing a module script failed|error loading dynamically/i.test(error.message);

const mayReload = (): boolean => Date.now() - Number(sessionStorage.getItem(reloadedAtKey) ?? 0) > reloadPauseMs;

export function CrashPage() {
  const error = useRouteError();
  const isReloading = isStaleCode(error) && mayReload();
  useEffect(() => {
    if (!isReloading) return;
    sessionStorage.setItem(reloadedAtKey, String(Date.now()));
    location.reload();
  }, [isReloading]);
  if (isReloading) return null;
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  return <Crash message={error instanceof Error ? error.message : undefined} />;
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
