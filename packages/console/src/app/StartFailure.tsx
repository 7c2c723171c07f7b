/** Shown if the console could not start: no settings, or no sign-in. */
import { Button } from '@slipway/ui/form/Button.tsx';
import css from './CrashPage.module.css';

const reasonOf = (error: unknown): string => (error instanceof Error && error.message ? error.message : 'Unknown Error');

export function StartFailure({ error }: { error: unknown }) {
  return (
    <main className="wrap page">
      <section className={css.crash} role="alert">
        <h1>Slipway could not start</h1>
        <p className="quiet">The server or the sign-in did not answer as expected. Your services are not touched by this.</p>
        <p className="mono">{reasonOf(error)}</p>
        <div>
          <Button variant="primary" onClick={() => location.assign('/')}>
            Try again
          </Button>
        </div>
      </section>
    </main>
  );
}
